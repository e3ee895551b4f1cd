import { EntitySchema, Not } from 'typeorm'
import type { Capabilities } from '../../access/capabilities.ts'
import { encodeRecord } from '../../hsm/key-record.ts'
import type { SealedRecord } from '../../hsm/hsm.ts'
import { bytes, integer, named, primary, text, time } from '../../store/columns.ts'
import { select } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** The certificate of one user. */
export interface UserCertificate {
  readonly userId: number
  /** SHA-256 of the DER: 64 lower-case hexadecimal digits. */
  readonly fingerprint: string
  readonly der: Buffer
  readonly seal: Buffer
  readonly createdAt: number
}

export const UserCertificateTable = new EntitySchema<UserCertificate>({
  name: 'UserCertificate',
  tableName: 'user_certificates',
  columns: {
    userId: primary(named('user_id', integer)),
    fingerprint: text,
    der: bytes,
    seal: bytes,
    createdAt: named('created_at', time),
  },
})

/** The record that the seal covers, so that write access to the database is not enough to give a user a certificate. */
export function certificateRecord({ userId, fingerprint, der }: Omit<UserCertificate, 'seal' | 'createdAt'>): Buffer {
  return encodeRecord(['user certificate', userId, fingerprint, der])
}

export function sealedRecord(row: Omit<UserCertificate, 'createdAt'>): SealedRecord {
  return { record: certificateRecord(row), seal: row.seal }
}

/** A registered certificate and the user whom it identifies. */
export type Holder = Omit<UserCertificate, 'createdAt'> & {
  readonly username: string
  readonly capabilities: Capabilities
}

type HolderRow = {
  readonly user_id: string | number
  readonly der: string
  readonly seal: string
  readonly username: string
  readonly capabilities: string | number
}

export async function findHolder(reader: Reader, fingerprint: string): Promise<Holder | undefined> {
  const [row] = await select<HolderRow>(
    reader,
    `SELECT c.user_id, c.der, c.seal, u.username, u.capabilities
     FROM user_certificates c JOIN users u ON u.id = c.user_id WHERE c.fingerprint = $1`,
    [fingerprint],
  )
  return (
    row && {
      userId: Number(row.user_id),
      fingerprint,
      der: Buffer.from(row.der, 'base64'),
      seal: Buffer.from(row.seal, 'base64'),
      username: row.username,
      capabilities: Number(row.capabilities),
    }
  )
}

export function certificateOf(reader: Reader, userId: number): Promise<UserCertificate | null> {
  return reader.findOneBy(UserCertificateTable, { userId })
}

export function isTakenByAnother(tx: Tx, fingerprint: string, userId: number): Promise<boolean> {
  return tx.existsBy(UserCertificateTable, { fingerprint, userId: Not(userId) })
}

/** Inserts the certificate, and replaces the one that the user has, if any. */
export async function replaceCertificate(tx: Tx, certificate: UserCertificate): Promise<void> {
  await deleteCertificate(tx, certificate.userId)
  await tx.insert(UserCertificateTable, certificate)
}

/** False when the user has no certificate. */
export async function deleteCertificate(tx: Tx, userId: number): Promise<boolean> {
  return (await tx.delete(UserCertificateTable, { userId })).affected === 1
}
