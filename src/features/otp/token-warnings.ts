import type { OtpDevice } from './records.ts'
import type { TokenReading } from './yubico.ts'

/** What is odd about an OTP that is good: key → sentence, as `CALLINFO.audit.warnings` holds it. */
export type OtpWarnings = Readonly<Record<string, string>>

/** Where the use counter of a hardware token ends: it counts no further, so nothing it makes is newer any more. */
export const lastUseCounter = 0x7fff
/** How many times a token may be plugged in between the first warning and its end. */
const warningBeforeEnd = 1_000
/** The token was plugged in this many times elsewhere since its last login here. */
const suspiciousJump = 50

const ticksPerSecond = 8
const tickRange = 2 ** 24
const toleratedSeconds = 20
const toleratedShare = 0.3

/** Warnings about an OTP of `device` that arrives at `nowMs`; what the device says of the OTP before it is the measure. */
export function tokenWarnings(device: OtpDevice, otp: TokenReading, nowMs: number): OtpWarnings {
  const { useCounter } = otp
  const jump = useCounter - (device.counter >> 8)
  const used = device.usedAt !== null
  return {
    ...(used && jump > suspiciousJump && { otp_counter: jumpText(jump) }),
    ...(used && jump === 0 && isDelayed(device, otp, nowMs) && { otp_delayed: delayedText }),
    ...(useCounter >= lastUseCounter - warningBeforeEnd && { otp_wear: wearText(lastUseCounter - useCounter) }),
  }
}

/** Since one plugging in, the token's clock and ours must have gone on alike; else the OTP was kept for a while. */
function isDelayed(device: OtpDevice, otp: TokenReading, nowMs: number): boolean {
  if (device.ticks === null || device.usedAt === null) return false
  const elapsed = (nowMs - device.usedAt) / 1000
  // The token's clock has run over: it says nothing any more.
  if (elapsed > tickRange / ticksPerSecond) return false
  const ticked = ((otp.timestamp - device.ticks + tickRange) % tickRange) / ticksPerSecond
  const deviation = Math.abs(elapsed - ticked)
  return deviation > toleratedSeconds && deviation > toleratedShare * elapsed
}

const delayedText =
  'The one-time password was made some time before it was used: if you did not wait, somebody may have kept it.'
const jumpText = (jump: number): string =>
  `The hardware token was plugged in ${jump} times since its last login here: if that was not you, tell the operator.`
const wearText = (left: number): string =>
  `The hardware token can be plugged in ${left} more times only: have it replaced.`
