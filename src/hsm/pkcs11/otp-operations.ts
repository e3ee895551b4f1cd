import { timingSafeEqual } from 'node:crypto'
import { Fault } from '../../fault.ts'
import type { SealedRecord } from '../hsm.ts'
import { readCheck } from '../peppered-check.ts'
import { pepperedBytes, privateIdText } from '../peppered-text.ts'
import type { FieldsOf, RecordKey } from '../record-layouts.ts'
import { pepper } from './seal-operations.ts'
import type { Token } from './token-link.ts'

/** The record of a device for one-time passwords, with a verified seal. */
export interface OpenDevice extends FieldsOf<'otp'> {
  readonly key: RecordKey
  readonly sealed: SealedRecord
}

/**
 * Verifies and reads the record of a device.
 * @throws Fault `hsm.seal_broken` for an altered record; `hsm.rejected` for another type of record
 */
export function openDevice(token: Token, sealed: SealedRecord): OpenDevice {
  const { whole } = token.run(({ keys }) => keys.open({ key: sealed }, 'otp'))
  if (whole.type !== 'otp' || whole.key === undefined)
    throw new Fault('hsm.rejected', 'The record is not that of a device of one-time passwords.')
  return { ...whole.fields, key: whole.key, sealed }
}

/** The HMAC from which a code is computed (RFC 4226 §5.2). `movingFactor`: a counter (HOTP) or a time step (TOTP). */
export function otpHmac(token: Token, { sealed }: OpenDevice, movingFactor: number): Buffer {
  const data = Buffer.alloc(8)
  data.writeBigUInt64BE(BigInt(movingFactor))
  return token.run(({ session, keys }) =>
    keys.use({ key: sealed }, 'otp', 'otp-hmac', (handle, row) =>
      session.sign(row.mechanism, handle, data, Buffer.alloc(row.outputBytes)),
    ),
  )
}

/** HMAC-SHA-1 (20 bytes) with the key of a client of the validator. */
export function validationMac(token: Token, client: SealedRecord, data: Buffer): Buffer {
  return token.run(({ session, keys }) =>
    keys.use({ key: client }, 'validation', 'otp-hmac', (handle, row) =>
      session.sign(row.mechanism, handle, data, Buffer.alloc(row.outputBytes)),
    ),
  )
}

const blockBytes = 16
const privateIdBytes = 6
/** Residue of the CRC-16 (ISO 13239) over a block that ends with its valid CRC. */
const crcResidue = 0xf0b8

/**
 * Decrypts the OTP of a hardware token. Returns the 10 bytes after its private id; undefined where CRC or private id do
 * not match the device.
 */
export function openOtpBlock(token: Token, { sealed, privateIdCheck }: OpenDevice, block: Buffer): Buffer | undefined {
  if (block.length !== blockBytes || privateIdCheck === null)
    throw new Fault('hsm.rejected', `A hardware token makes blocks of ${blockBytes} bytes.`)
  const plain = token.run(({ session, keys }) =>
    keys.use({ key: sealed }, 'otp', 'otp-block', (handle, row) =>
      session.decrypt(row.mechanism, handle, block, Buffer.alloc(blockBytes)),
    ),
  )
  const text = privateIdText(plain.subarray(0, privateIdBytes))
  try {
    const stored = readCheck(privateIdCheck, pepperedBytes)
    const check = pepper(token, stored?.version ?? 1, text)
    const isOurs = stored !== undefined && timingSafeEqual(check, stored.rest)
    return crc16(plain) === crcResidue && isOurs ? Buffer.from(plain.subarray(privateIdBytes)) : undefined
  } finally {
    plain.fill(0)
    text.fill(0)
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
