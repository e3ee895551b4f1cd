import type { OtpDevice } from './records.ts'

/**
 * The OTP format of Yubico's hardware tokens: 12 modhex characters of public id, then 32 of one AES-128 block. Modhex
 * writes four bits as one of 16 letters, which most keyboard layouts have on the same keys.
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

/**
 * Undefined for anything but 44 modhex characters. Upper case is accepted, since that is what a keyboard with caps lock
 * sends.
 */
export function parseOtp(text: string): YubicoOtp | undefined {
  // Folds ASCII letters only: toLowerCase would also fold U+212A (the Kelvin sign) to k.
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

// Bit 15 says that caps lock was on. If it were stored, later OTPs would be lower, and the token would be locked out.
const useCounterMask = 0x7fff

/** The fields that the hardware token encrypts in an OTP. */
export interface TokenReading {
  /** How often it was plugged in: 15 bits. */
  readonly useCounter: number
  /** Its clock since then, with 8 ticks per second: 24 bits. */
  readonly timestamp: number
  /** Number of OTPs since then: 8 bits. */
  readonly sessionUse: number
}

/**
 * Parses the 10 bytes after the private id: use counter, 16 bits; time stamp, 24; session use, 8; random, 16; CRC, 16;
 * all little-endian.
 */
export function readToken(decrypted: Buffer): TokenReading {
  return {
    useCounter: decrypted.readUInt16LE(0) & useCounterMask,
    timestamp: decrypted.readUIntLE(2, 3),
    sessionUse: decrypted.readUInt8(5),
  }
}

/** Anything unusual about a valid OTP: key → sentence, as in `CALLINFO.audit.warnings`. */
export type OtpWarnings = Readonly<Record<string, string>>

/** The highest use counter of a hardware token. When it is reached, no later OTP is newer. */
export const lastUseCounter = 0x7fff
/** The first warning comes when a token can be plugged in this many times more. */
const warningBeforeEnd = 1_000
/** A token that was plugged in this many times between two logins was probably used elsewhere. */
const suspiciousJump = 50

const ticksPerSecond = 8
const tickRange = 2 ** 24
const toleratedSeconds = 20
const toleratedShare = 0.3

/** Warnings about an OTP of `device` that arrives at `nowMs`, compared with the previous one. */
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
 * Whether the OTP was made some time before it was sent: since the OTP before it, the token's clock and ours have not
 * advanced alike. To be asked only while the token has stayed plugged in.
 */
function isDelayed(device: OtpDevice, otp: TokenReading, nowMs: number): boolean {
  if (device.ticks === null || device.usedAt === null) return false
  const elapsed = (nowMs - device.usedAt) / 1000
  // The token's clock has wrapped around, so that nothing can be said.
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
