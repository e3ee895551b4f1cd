import { EntitySchema } from 'typeorm'
import { keyRecord } from '../../hsm/key-record.ts'
import type { KeyReference } from '../../hsm/hsm.ts'
import { bytes, id, integer, named, nullable, primary, text, time } from '../../store/columns.ts'
import { change, insertRow, readRow, select, selectList } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** An application that uses the validator. Its API key, 20 bytes for HMAC-SHA-1, is stored wrapped like an OTP seed. */
export interface ValidationClient {
  readonly id: number
  readonly name: string
  /** 1: unsigned requests are answered as well. */
  readonly allowUnsigned: number
  readonly kek: string
  readonly blob: Buffer
  readonly seal: Buffer
  readonly createdAt: number
  readonly revokedAt: number | null
}

export const ValidationClientTable = new EntitySchema<ValidationClient>({
  name: 'ValidationClient',
  tableName: 'validation_clients',
  columns: {
    id,
    name: text,
    allowUnsigned: named('allow_unsigned', integer),
    kek: text,
    blob: bytes,
    seal: bytes,
    createdAt: named('created_at', time),
    revokedAt: named('revoked_at', nullable(time)),
  },
})

export const clientKeyKind = 'otp-hmac-sha1'

/**
 * The record that the client's seal covers, so that write access to the database can neither move a key to another id
 * nor restore a revoked client.
 */
export function clientRecord(client: Omit<ValidationClient, 'seal' | 'createdAt'>): Buffer {
  const { name, allowUnsigned, kek, blob, revokedAt } = client
  return keyRecord(clientKeyKind, { kek, blob }, ['validation client', client.id, name, allowUnsigned, revokedAt])
}

export function clientKey(client: ValidationClient): KeyReference {
  return { key: { record: clientRecord(client), seal: client.seal } }
}

export async function findClient(reader: Reader, clientId: number): Promise<ValidationClient | undefined> {
  const [row] = await select<object>(reader, clientById, [clientId])
  return row && readRow(ValidationClientTable, row)
}

const clientById = `SELECT ${selectList(ValidationClientTable, 'c')} FROM validation_clients c WHERE c.id = $1`

export function findClientByName(tx: Tx, name: string): Promise<ValidationClient | null> {
  return tx.findOneBy(ValidationClientTable, { name })
}

export function listClients(reader: Reader): Promise<ValidationClient[]> {
  return reader.find(ValidationClientTable, { order: { id: 'ASC' } })
}

/** Resolves to the id that the database chose. The sealed record contains it. */
export function insertClient(tx: Tx, client: Omit<ValidationClient, 'id'>): Promise<number> {
  return insertRow(tx, ValidationClientTable, client)
}

export async function sealClient(tx: Tx, client: ValidationClient): Promise<void> {
  const { seal, revokedAt } = client
  await tx.update(ValidationClientTable, { id: client.id }, { seal, revokedAt })
}

/** The last OTP of a device that the validator accepted, with the nonce of that request. */
export interface ValidatedOtp {
  readonly deviceId: number
  readonly counter: number
  readonly nonce: string
}

export const ValidatedOtpTable = new EntitySchema<ValidatedOtp>({
  name: 'ValidatedOtp',
  tableName: 'validated_otps',
  columns: { deviceId: primary(named('device_id', integer)), counter: integer, nonce: text },
})

export async function noteValidated(tx: Tx, { deviceId, counter, nonce }: ValidatedOtp): Promise<void> {
  await change(tx, upsertValidated, [deviceId, counter, nonce])
}

const upsertValidated = `INSERT INTO validated_otps (device_id, counter, nonce) VALUES ($1, $2, $3)
  ON CONFLICT (device_id) DO UPDATE SET counter = excluded.counter, nonce = excluded.nonce`

/** Whether the validator accepted this OTP together with this nonce. */
export function wasValidated(tx: Tx, otp: ValidatedOtp): Promise<boolean> {
  return tx.existsBy(ValidatedOtpTable, { ...otp })
}
