import { hash } from 'node:crypto'
import { encodeRecord } from '../key-record.ts'
import type { OpenDevice } from '../pkcs11/otp-operations.ts'
import type { KeeperState } from './keeper-state.ts'
import { type RisenRows, risenRows } from './risen-rows.ts'

/** The counter of each OTP device, so that a counter that was put back in the database makes no OTP valid again. */
export interface UsedOtps {
  /** The counter after the last use; 0 for an unknown device. */
  of(device: Buffer): number
  /** False where the counter does not exceed that of the last use. On the disk when it returns. */
  advance(device: Buffer, counter: number): boolean
  /** The same for a counter that another keeper reported, which that keeper reports to the others itself. */
  take(device: Buffer, counter: number): void
  readonly risen: RisenRows
}

/**
 * Identifies a device by its wrapped key and its parameters. A key wrap is deterministic (RFC 3394, RFC 5649), so that
 * a seed that is enrolled again is the same device.
 */
export const deviceOf = ({ key: { kind, kek, blob }, device, periodSeconds }: OpenDevice): Buffer =>
  hash('sha256', encodeRecord([kind, kek, blob, device, periodSeconds]), 'buffer')

export function createUsedOtps(state: KeeperState): UsedOtps {
  state.exec(
    'CREATE TABLE IF NOT EXISTS used_otps (device BLOB PRIMARY KEY, counter INTEGER NOT NULL) STRICT, WITHOUT ROWID',
  )
  const find = state.prepare<[Buffer], { readonly counter: number }>('SELECT counter FROM used_otps WHERE device = ?')
  const risen = risenRows(state, { table: 'used_otps', subject: 'device', number: 'counter' })
  const raise = state.prepare(
    `INSERT INTO used_otps (device, counter, rose) VALUES (?, ?, ?)
     ON CONFLICT (device) DO UPDATE SET counter = excluded.counter, rose = excluded.rose
     WHERE excluded.counter > counter`,
  )
  return {
    of: (device) => find.get(device)?.counter ?? 0,
    advance: (device, counter) => raise.run(device, counter, risen.next()).changes === 1,
    take: (device, counter) => void raise.run(device, counter, 0),
    risen,
  }
}
