import { hash } from 'node:crypto'
import { encodeRecord } from '../key-record.ts'
import type { OpenDevice } from '../pkcs11/otp-operations.ts'
import type { KeeperState } from './keeper-state.ts'
import { type HighestNumbers, highestNumbers } from './risen-rows.ts'

/** The counter of each OTP device, so that a counter that was put back in the database makes no OTP valid again. */
export interface UsedOtps extends Pick<HighestNumbers, 'take' | 'risen'> {
  /** The counter after the last use; 0 for an unknown device. */
  of(device: Buffer): number
  /** False where the counter does not exceed that of the last use. On the disk when it returns. */
  advance(device: Buffer, counter: number): boolean
}

/**
 * Identifies a device by its wrapped key and its parameters. A key wrap is deterministic (RFC 3394, RFC 5649), so that
 * a seed that is enrolled again is the same device.
 */
export const deviceOf = ({ key: { kind, kek, blob }, device, periodSeconds }: OpenDevice): Buffer =>
  hash('sha256', encodeRecord([kind, kek, blob, device, periodSeconds]), 'buffer')

export function createUsedOtps(state: KeeperState): UsedOtps {
  const highest = highestNumbers(state, { table: 'used_otps', subject: 'device', number: 'counter' })
  return {
    ...highest,
    of: (device) => highest.of(device) ?? 0,
    advance: (device, counter) => highest.raise(device, counter),
  }
}
