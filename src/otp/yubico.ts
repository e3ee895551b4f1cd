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

export interface YubicoPlain {
  /** 6 bytes that only the token and its validator know. */
  readonly privateId: Buffer
  /** (use counter << 8) | session use: grows with every OTP of the token. */
  readonly counter: number
}

const crcResidue = 0xf0b8
// Bit 15 tells that caps lock was on. Left in, it would lock the true token out after one such OTP.
const useCounterMask = 0x7fff

/** Reads a decrypted block of 16 bytes; undefined when its CRC-16 (ISO 13239) is wrong: another key, or noise. */
export function parseBlock(block: Buffer): YubicoPlain | undefined {
  if (block.length !== 16 || crc16(block) !== crcResidue) return undefined
  const useCounter = block.readUInt16LE(6) & useCounterMask
  return { privateId: block.subarray(0, 6), counter: (useCounter << 8) | block.readUInt8(11) }
}

function crc16(bytes: Buffer): number {
  let crc = 0xffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0x8408 : crc >> 1
  }
  return crc
}
