import { EntitySchema } from 'typeorm'
import type { SealedRecord } from '../../hsm/hsm.ts'
import type { PublicJwk } from '../../hsm/public-jwk.ts'
import { composeRecord } from '../../hsm/record-layouts.ts'
import { bytes, id, integer, named, nullable, text, time } from '../../store/columns.ts'
import { change, insertRow } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** A passkey of a user (WebAuthn): its public key. The private key stays in the authenticator. */
export interface Passkey {
  readonly id: number
  readonly userId: number
  /** Chosen by the user; not sealed. */
  readonly name: string
  /** By which its authenticator identifies it: up to 1,023 bytes. */
  readonly credentialId: Buffer
  /** A `PublicJwk` as JSON. */
  readonly publicKey: string
  readonly seal: Buffer
  /** The signature count of its authenticator at the last use; 0 for one that does not count. */
  readonly signCount: number
  readonly createdAt: number
  readonly usedAt: number | null
}

export const PasskeyTable = new EntitySchema<Passkey>({
  name: 'Passkey',
  tableName: 'passkeys',
  columns: {
    id,
    userId: named('user_id', integer),
    name: text,
    credentialId: named('credential_id', bytes),
    publicKey: named('public_key', text),
    seal: bytes,
    signCount: named('sign_count', integer),
    createdAt: named('created_at', time),
    usedAt: named('used_at', nullable(time)),
  },
})

/** A passkey that was just created. */
export interface NewPasskey {
  readonly credentialId: Buffer
  readonly key: PublicJwk
  readonly signCount: number
}

/**
 * The record that the seal covers, so that write access to the database can neither give a user a passkey nor change
 * its key.
 */
export function passkeyRecord({
  userId,
  credentialId,
  publicKey,
}: Pick<Passkey, 'userId' | 'credentialId' | 'publicKey'>): Buffer {
  return composeRecord('passkey', { userId, credentialId, publicKey })
}

export const sealedPasskey = (passkey: Passkey): SealedRecord => ({
  record: passkeyRecord(passkey),
  seal: passkey.seal,
})

export function findByCredentialId(reader: Reader, credentialId: Buffer): Promise<Passkey | null> {
  return reader.findOneBy(PasskeyTable, { credentialId })
}

/** In the order of their registration. */
export function passkeysOf(reader: Reader, userId: number): Promise<Passkey[]> {
  return reader.find(PasskeyTable, { where: { userId }, order: { id: 'ASC' } })
}

/** Undefined for a passkey of another user. */
export async function findPasskey(reader: Reader, userId: number, passkeyId: number): Promise<Passkey | undefined> {
  return (await reader.findOneBy(PasskeyTable, { id: passkeyId, userId })) ?? undefined
}

export async function insertPasskey(tx: Tx, passkey: Omit<Passkey, 'id'>): Promise<Passkey> {
  return { ...passkey, id: await insertRow(tx, PasskeyTable, passkey) }
}

/** False where the user has no such passkey. */
export async function renamePasskey(tx: Tx, userId: number, passkeyId: number, name: string): Promise<boolean> {
  return (await tx.update(PasskeyTable, { id: passkeyId, userId }, { name })).affected === 1
}

export async function deletePasskey(tx: Tx, { id: passkeyId, seal }: Passkey): Promise<boolean> {
  return (await tx.delete(PasskeyTable, { id: passkeyId, seal })).affected === 1
}

/** False where a parallel use has changed the count, or the passkey was removed. */
export async function notePasskeyUse(
  tx: Tx,
  { id: passkeyId, userId }: Passkey,
  signCount: number,
  usedAt: number,
): Promise<boolean> {
  return (await change(tx, use, [signCount, usedAt, passkeyId, userId])) === 1
}

const use = `UPDATE passkeys SET sign_count = $1, used_at = $2
  WHERE id = $3 AND user_id = $4 AND (sign_count < $1 OR (sign_count = 0 AND $1 = 0))`
