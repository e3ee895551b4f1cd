import { counterToBytes, dynamicTruncate, truncateDigits } from '@otplib/core'
import { timingSafeEqual } from 'node:crypto'
import type { Hsm } from '../hsm/hsm.ts'
import { deviceKey, type OtpDevice } from './records.ts'

/** How many time steps a clock may be off, either way (RFC 6238 §5.2 advises one). */
const driftSteps = 1

/**
 * The time step for which `code` is right, among those the drift allows and later than any accepted before; undefined
 * when there is none. The HMAC is made in the token.
 */
export async function matchingStep(
  hsm: Pick<Hsm, 'otpHmac'>,
  device: OtpDevice,
  code: string,
  nowMs: number,
): Promise<number | undefined> {
  const { digits, periodSeconds } = device
  if (digits === null || periodSeconds === null) throw new TypeError(`TOTP device ${device.id} has no digits or period`)
  if (!/^\d+$/.test(code) || code.length !== digits) return undefined
  const current = Math.floor(nowMs / 1000 / periodSeconds)
  for (let step = current - driftSteps; step <= current + driftSteps; step++) {
    if (step <= device.counter) continue
    const expected = truncateDigits(dynamicTruncate(await hsm.otpHmac(deviceKey(device), counterToBytes(step))), digits)
    if (timingSafeEqual(Buffer.from(expected), Buffer.from(code))) return step
  }
  return undefined
}
