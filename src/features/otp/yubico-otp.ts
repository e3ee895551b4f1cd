import type { OtpDevice } from './records.ts'

/**
 * The published OTP format of Yubico's hardware tokens: 12 modhex characters of public id, then 32 of one AES-128
 * block. Modhex writes a nibble as one of 16 letters that lie on the same keys of most keyboards.
 */
const modhex = 'cbdefghijklnrtuv'
const wellFormed = /^[cbdefghijklnrtuv]{44}$/
const publicIdForm = /^[cbdefghijklnrtuv]{12}$/

export interface YubicoOtp {
  /** 12 modhex characters in lower case. */
  readonly publicId: string
  /** 16 bytes, still encrypted. */
  readonly block: Buffer
}

/** Undefined for anything but 44 modhex characters; upper case is accepted, as a caps-locked keyboard sends it. */
export function parseOtp(text: string): YubicoOtp | undefined {
  // toLowerCase would fold U+212A (the Kelvin sign) to k: only ASCII letters fold here.
  const folded = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  if (!wellFormed.test(folded)) return undefined
  return { publicId: folded.slice(0, 12), block: decodeModhex(folded.slice(12)) }
}

export function isPublicId(text: string): boolean {
  return publicIdForm.test(text)
}

function decodeModhex(text: string): Buffer {
  const digits = Array.from(text, (letter) => modhex.indexOf(letter).toString(16)).join('')
  return Buffer.from(digits, 'hex')
}

// Bit 15 tells that caps lock was on. Left in, it would lock the true token out after one such OTP.
const useCounterMask = 0x7fff

/** The fields of an OTP that its hardware token fills in. */
export interface TokenReading {
  /** How often it was plugged in: 15 bits. */
  readonly useCounter: number
  /** Its clock of 8 Hz since then: 24 bits. */
  readonly timestamp: number
  /** OTPs since then: 8 bits. */
  readonly sessionUse: number
}

/**
 * From the 10 bytes behind the private id: use counter, 16 bits; time stamp, 24; session use, 8; random, 16; CRC, 16;
 * all little-endian.
 */
export function readToken(decrypted: Buffer): TokenReading {
  return {
    useCounter: decrypted.readUInt16LE(0) & useCounterMask,
    timestamp: decrypted.readUIntLE(2, 3),
    sessionUse: decrypted.readUInt8(5),
  }
}

/** What is unusual about an OTP that is good: key → sentence, as `CALLINFO.audit.warnings` holds it. */
export type OtpWarnings = Readonly<Record<string, string>>

/** The last value of a hardware token's use counter: with the counter exhausted, no OTP of it is newer than another. */
export const lastUseCounter = 0x7fff
/** How many times a token may be plugged in between the first warning and its end. */
const warningBeforeEnd = 1_000
/** The token was plugged in this many times elsewhere since its last login here. */
const suspiciousJump = 50

const ticksPerSecond = 8
const tickRange = 2 ** 24
const toleratedSeconds = 20
const toleratedShare = 0.3

/** Warnings about an OTP of `device` that arrives at `nowMs`, compared with the OTP before it. */
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

/**
 * Since the token was plugged in, its clock and ours must have advanced alike; otherwise the OTP was kept for a while.
 */
function isDelayed(device: OtpDevice, otp: TokenReading, nowMs: number): boolean {
  if (device.ticks === null || device.usedAt === null) return false
  const elapsed = (nowMs - device.usedAt) / 1000
  // The token's clock has wrapped around: it measures nothing any more.
  if (elapsed > tickRange / ticksPerSecond) return false
  const ticked = ((otp.timestamp - device.ticks + tickRange) % tickRange) / ticksPerSecond
  const deviation = Math.abs(elapsed - ticked)
  return deviation > toleratedSeconds && deviation > toleratedShare * elapsed
}

const delayedText =
  'The one-time password was made some time before it was used: if you did not wait, another person may have kept it.'
const jumpText = (jump: number): string =>
  `The hardware token was plugged in ${jump} times since its last login here: if that was not you, tell the operator.`
const wearText = (left: number): string =>
  `The hardware token can be plugged in ${left} more times only: have it replaced.`
