/**
 * The published OTP format of Yubico's hardware tokens: 12 modhex characters of public id, then 32 of one AES-128 block.
 * Modhex writes a nibble as one of 16 letters that lie on the same keys of most keyboards.
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

/** What a hardware token tells of itself in an OTP. */
export interface TokenReading {
  /** How often it was plugged in: 15 bits. */
  readonly useCounter: number
  /** Its clock of 8 Hz since then: 24 bits. */
  readonly timestamp: number
  /** OTPs since then: 8 bits. */
  readonly sessionUse: number
}

/** From the 10 bytes behind the private id: use counter, 16 bits; time stamp, 24; session use, 8; random, 16; CRC, 16; all little-endian. */
export function readToken(decrypted: Buffer): TokenReading {
  return {
    useCounter: decrypted.readUInt16LE(0) & useCounterMask,
    timestamp: decrypted.readUIntLE(2, 3),
    sessionUse: decrypted.readUInt8(5),
  }
}

/** (use counter << 8) | session use, which grows with every OTP of the token. */
export function counterOf({ useCounter, sessionUse }: TokenReading): number {
  return (useCounter << 8) | sessionUse
}
