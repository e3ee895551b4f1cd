import { createHash } from 'node:crypto'
import pkcs11, { type Template } from 'pkcs11js'
import {
  extractableTemplate,
  generatedTemplate,
  importedTemplate,
  type SecretKeyRow,
  secretKeyRows,
  wrapOnly,
} from './key-kinds.ts'
import { hmacSha256, keyWrap } from './mechanisms.ts'
import { withTransient } from './passing-keys.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import { rootId } from './root-objects.ts'

/** What appliances that restore each other's backups share: the key that wraps, and the one that seals. */
interface BackupKeyRow {
  readonly label: (version: number) => string
  readonly row: SecretKeyRow
  /** Gives the same bytes for the same key only. */
  readonly fingerprint: (session: Pkcs11Session, key: KeyHandle) => Buffer
}

export const backupKeyRows: Readonly<Record<'kek' | 'seal', BackupKeyRow>> = {
  kek: {
    label: (version) => `strongroom.kek.backup.v${version}`,
    row: { ...secretKeyRows['aes256-gcm'], usage: wrapOnly },
    fingerprint(session, key) {
      // All that a wrapping key does is wrap: here a key of zeros.
      const zeros = session.create(importedTemplate(secretKeyRows['aes128-gcm'], Buffer.alloc(16)))
      return withTransient(session, [zeros], () => session.wrap(keyWrap, key, zeros))
    },
  },
  seal: {
    label: (version) => `strongroom.backup-seal.v${version}`,
    row: secretKeyRows['hmac-sha256'],
    fingerprint: (session, key) =>
      session.sign(hmacSha256, key, Buffer.from('strongroom backup seal'), Buffer.alloc(32)),
  },
}

const checkDigits = 8

/** A check value: hexadecimal digits that tell keys apart and nothing about them. */
export function checkOf(session: Pkcs11Session, part: BackupKeyRow, key: KeyHandle): string {
  return createHash('sha256').update(part.fingerprint(session, key)).digest('hex').slice(0, checkDigits)
}

/** In a session, extractable: until it has been wrapped to those who share it. */
export function makeShared(session: Pkcs11Session, { row }: BackupKeyRow): KeyHandle {
  return session.generate(row.generation, generatedTemplate(row))
}

/** In a session, not extractable: until it is kept. */
export function receivedTemplate({ row }: BackupKeyRow): Template {
  return extractableTemplate(row).map((attribute) =>
    attribute.type === pkcs11.CKA_EXTRACTABLE ? { ...attribute, value: false } : attribute,
  )
}

/** Keeps a key of the session in the token, not extractable any more. */
export function persist(session: Pkcs11Session, { label }: BackupKeyRow, key: KeyHandle, version: number): void {
  const isExtractable = session.attributes(key, [pkcs11.CKA_EXTRACTABLE])[0]?.readUInt8() === 1
  session.copy(key, [
    { type: pkcs11.CKA_TOKEN, value: true },
    // SoftHSM2 refuses to make false what is false.
    ...(isExtractable ? [{ type: pkcs11.CKA_EXTRACTABLE, value: false }] : []),
    { type: pkcs11.CKA_LABEL, value: label(version) },
    { type: pkcs11.CKA_ID, value: rootId(label(version)) },
    // Last: SoftHSM2 takes no attribute after it.
    { type: pkcs11.CKA_MODIFIABLE, value: false },
  ])
}
