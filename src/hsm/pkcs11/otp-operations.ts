import { timingSafeEqual } from 'node:crypto'
import { Fault } from '../../fault.ts'
import type { KeyReference } from '../hsm.ts'
import { privateIdRecord } from '../key-record.ts'
import { pepper } from './seal-operations.ts'
import type { Token } from './token-link.ts'

export function otpHmac(token: Token, key: KeyReference, data: Buffer): Buffer {
  return token.run(({ session, keys }) =>
    keys.use(key, 'otp', 'otp-hmac', (handle, row) =>
      session.sign(row.mechanism, handle, data, Buffer.alloc(row.outputBytes)),
    ),
  )
}

const blockBytes = 16
const privateIdBytes = 6
/** What the CRC-16 (ISO 13239) over a whole block comes to when its own CRC is right. */
const crcResidue = 0xf0b8

/** What stands behind the private id of a hardware-token OTP, if that is the one. Throws `hsm.rejected` if not. */
export function decryptOtpBlock(token: Token, key: KeyReference, block: Buffer, privateIdCheck: Buffer): Buffer {
  if (block.length !== blockBytes) throw new Fault('hsm.rejected', `An OTP block has ${blockBytes} bytes.`)
  const plain = token.run(({ session, keys }) =>
    keys.use(key, 'otp', 'otp-block', (handle, row) =>
      session.decrypt(row.mechanism, handle, block, Buffer.alloc(blockBytes)),
    ),
  )
  const record = privateIdRecord(plain.subarray(0, privateIdBytes))
  try {
    const check = pepper(token, record)
    const isOurs = check.length === privateIdCheck.length && timingSafeEqual(check, privateIdCheck)
    if (crc16(plain) !== crcResidue || !isOurs) throw new Fault('hsm.rejected', 'The OTP is of another token.')
    return Buffer.from(plain.subarray(privateIdBytes))
  } finally {
    plain.fill(0)
    record.fill(0)
  }
}

function crc16(bytes: Buffer): number {
  let crc = 0xffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0x8408 : crc >> 1
  }
  return crc
}
