import { createCipheriv } from 'node:crypto'
import { HardwareToken } from '../test/support/hardware-token.ts'

/** A hardware token that computes its OTPs in this process, so that tens of thousands take hardly any time. */
export class QuickToken extends HardwareToken {
  override otpAt(useCounter: number, sessionUse: number): string {
    const block = Buffer.alloc(16)
    block.write(this.privateId, 'hex')
    block.writeUInt16LE(useCounter, 6)
    // Its clock advances by an eighth of a second with each OTP.
    block.writeUIntLE(((useCounter << 8) | sessionUse) & 0xffffff, 8, 3)
    block.writeUInt8(sessionUse, 11)
    block.writeUInt16LE(~crc16(block.subarray(0, 14)) & 0xffff, 14)
    const cipher = createCipheriv('aes-128-ecb', Buffer.from(this.key, 'hex'), null).setAutoPadding(false)
    const digits = Array.from(cipher.update(block).toString('hex'), (digit) => Number.parseInt(digit, 16))
    return this.publicId + digits.map((digit) => 'cbdefghijklnrtuv'[digit]).join('')
  }
}

/** CRC-16 (ISO 13239). */
function crc16(bytes: Uint8Array): number {
  let crc = 0xffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0x8408 : crc >> 1
  }
  return crc
}
