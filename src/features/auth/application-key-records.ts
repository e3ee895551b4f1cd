import { EntitySchema, In, IsNull } from 'typeorm'
import type { ResponseVersion } from '../../access/caller.ts'
import { bytes, id, integer, named, nullable, text, time } from '../../store/columns.ts'
import { findRow, insertRow } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** The key of one application, shared by all users of that application. */
export interface ApplicationKey {
  readonly id: number
  readonly name: string
  /** HMAC over the key, made in the token: 32 bytes. */
  readonly keyCheck: Buffer
  readonly createdAt: number
  readonly revokedAt: number | null
  /** The form of the answers to the application. */
  readonly responseVersion: ResponseVersion
  /** 16 random bytes, drawn by the keeper. */
  readonly identity: Buffer
  /** See `record-generation.ts`. */
  readonly generation: number
  /** Seal over `applicationKeyRecord`; empty in a row of an earlier release that was not taken over. */
  readonly seal: Buffer
}

export const ApplicationKeyTable = new EntitySchema<ApplicationKey>({
  name: 'ApplicationKey',
  tableName: 'application_keys',
  columns: {
    id,
    name: text,
    keyCheck: named('key_check', bytes),
    createdAt: named('created_at', time),
    revokedAt: named('revoked_at', nullable(time)),
    responseVersion: named('shapes', text),
    identity: bytes,
    generation: integer,
    seal: bytes,
  },
})

export async function insertApplicationKey(tx: Tx, key: Omit<ApplicationKey, 'id'>): Promise<ApplicationKey> {
  return { ...key, id: await insertRow(tx, ApplicationKeyTable, key) }
}

export function listApplicationKeys(reader: Reader): Promise<ApplicationKey[]> {
  return reader.find(ApplicationKeyTable, { order: { id: 'ASC' } })
}

/** The unrevoked key that has one of these check values. */
export function findActiveApplicationKey(reader: Reader, checks: readonly Buffer[]): Promise<ApplicationKey | null> {
  return reader.findOneBy(ApplicationKeyTable, { keyCheck: In([...checks]), revokedAt: IsNull() })
}

export function findRevocable(tx: Tx, name: string): Promise<ApplicationKey | null> {
  return tx.findOneBy(ApplicationKeyTable, { name, revokedAt: IsNull() })
}

/** False where the key was already revoked. */
export async function revokeApplicationKey(
  tx: Tx,
  id: number,
  revoked: Pick<ApplicationKey, 'revokedAt' | 'generation' | 'seal'>,
): Promise<boolean> {
  return (await tx.update(ApplicationKeyTable, { id, revokedAt: IsNull() }, revoked)).affected === 1
}

export function findApplicationKeyById(reader: Reader, id: number): Promise<ApplicationKey | null> {
  return findRow(reader, ApplicationKeyTable, { id })
}

export async function setResponseVersion(tx: Tx, name: string, responseVersion: ResponseVersion): Promise<boolean> {
  return (await tx.update(ApplicationKeyTable, { name, revokedAt: IsNull() }, { responseVersion })).affected === 1
}
