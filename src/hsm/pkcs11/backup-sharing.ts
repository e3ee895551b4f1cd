import { createHash } from 'node:crypto'
import pkcs11, { type Template } from 'pkcs11js'
import { z } from 'zod'
import { Fault } from '../../fault.ts'
import { withDirectorySync } from './directory-sync.ts'
import { TokenFailure } from './failure.ts'
import { wrapTo } from './key-export.ts'
import { type SecretKeyRow, secretKeyRows, wrapOnly } from './key-kinds.ts'
import { unwrapReceived } from './key-making.ts'
import { extractableTemplate, generatedTemplate, importedTemplate } from './key-templates.ts'
import { hmacSha256, keyWrap } from './mechanisms.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import { wrappingTemplate } from './public-keys.ts'
import { findRoot, findRootKeys, rootId, type RootKeys, versionOf } from './root-objects.ts'
import { withTransient } from './session-keys.ts'
import { listObjects, type TokenObject } from './token-objects.ts'
import { type TokenLocation, withToken } from './token-opening.ts'

export interface BackupSharingOptions extends TokenLocation {
  /** The folder of a software token (`hsm.tokenDirectory`). */
  readonly tokenDirectory?: string | undefined
}

export interface SharedBackupKeys {
  readonly version: number
  /**
   * 16 hexadecimal digits that tell the keys apart and nothing about them. The holders of the ceremony compare them by
   * voice: a package is wrapped to a public key, and so an attacker could have made it.
   */
  readonly check: string
}

/**
 * Makes the next version of backup KEK and backup seal, known to this token and the recipients alone: generated
 * extractable in a session, wrapped to each recipient, then kept, not extractable. No token can pass them on
 * afterwards, so name every appliance at once. `recipients`: transport public keys, DER SubjectPublicKeyInfo; each gets
 * one of the `packages`, texts in the same order. Loads the module into this process; token hosts use the new version
 * when they are started again. Throws as `createRootObjects` does, and `hsm.rejected` for a recipient that is no RSA
 * key of 2048 to 8192 bits.
 */
export function createSharedBackupKeys(
  options: BackupSharingOptions & { readonly recipients: readonly Buffer[] },
): SharedBackupKeys & { readonly packages: readonly string[] } {
  const templates = options.recipients.map(wrappingTemplate)
  return withRoots(options, ({ keySession: session, mechanisms, roots }) => {
    const version = 1 + Math.max(versionOf(roots.newestKek('backup').name), versionOf(roots.newestBackupSeal().name))
    const generated = { kek: makeShared(session, backupKeyRows.kek), seal: makeShared(session, backupKeyRows.seal) }
    return withTransient(session, [generated.kek, generated.seal], () => {
      const checks = {
        kek: checkOf(session, backupKeyRows.kek, generated.kek),
        seal: checkOf(session, backupKeyRows.seal, generated.seal),
      }
      const packages = templates.map((template) => {
        const recipient = session.create(template)
        return withTransient(session, [recipient], () => {
          const [kek, seal] = parts.map((part) =>
            wrapTo({ keySession: session, mechanisms }, recipient, generated[part]),
          )
          return JSON.stringify({
            format,
            version,
            checks,
            keys: { kek: kek?.toString('base64'), seal: seal?.toString('base64') },
          })
        })
      })
      for (const part of parts) persist(session, backupKeyRows[part], generated[part], version)
      return { version, check: checks.kek + checks.seal, packages }
    })
  })
}

/**
 * Takes a package that was made for this token; the keys are unwrapped to what is not extractable and kept. One that is
 * there already, with the same check value, is left alone. Throws `hsm.rejected` for a package that was altered or is
 * for another token, and for a version that this token has with other keys.
 */
export function adoptBackupKeys(options: BackupSharingOptions, text: string): SharedBackupKeys {
  const { version, checks, keys } = readPackage(text)
  return withRoots(options, (token) => {
    const received = parts.map((part) => ({
      part,
      key: unwrapReceived(token, Buffer.from(keys[part], 'base64'), receivedTemplate(backupKeyRows[part])),
    }))
    const objects = received.map(({ key }) => key)
    return withTransient(token.keySession, objects, () => {
      for (const { part, key } of received) {
        if (checkOf(token.keySession, backupKeyRows[part], key) !== checks[part])
          throw new Fault('hsm.rejected', 'The keys of the package do not have its check value: it was altered.')
      }
      const missing = received.filter(({ part }) => !isKept(token, part, version, checks[part]))
      for (const { part, key } of missing) persist(token.keySession, backupKeyRows[part], key, version)
      return { version, check: checks.kek + checks.seal }
    })
  })
}

const format = 'strongroom-backup-keys-1'
const parts = ['kek', 'seal'] as const
type Part = (typeof parts)[number]

const packageSchema = z.object({
  format: z.literal(format),
  version: z.int().min(2),
  checks: z.object({ kek: z.string(), seal: z.string() }),
  keys: z.object({ kek: z.base64(), seal: z.base64() }),
})

function readPackage(text: string): z.infer<typeof packageSchema> {
  try {
    return packageSchema.parse(JSON.parse(text))
  } catch (error) {
    throw new Fault('hsm.rejected', 'This is no package of backup keys, or it was damaged.', { cause: error })
  }
}

interface OpenedToken {
  readonly keySession: Pkcs11Session
  readonly mechanisms: ReadonlySet<number>
  readonly objects: readonly TokenObject[]
  readonly roots: RootKeys
}

function isKept({ keySession, objects }: OpenedToken, part: Part, version: number, check: string): boolean {
  const row = backupKeyRows[part]
  const kept = findRoot(objects, row.label(version), pkcs11.CKO_SECRET_KEY)
  if (kept === undefined) return false
  if (checkOf(keySession, row, kept) !== check)
    throw new Fault('hsm.rejected', `This token has ${row.label(version)} already, and it is another key.`)
  return true
}

function withRoots<T>(options: BackupSharingOptions, work: (token: OpenedToken) => T): T {
  return withToken(options, (token) =>
    withDirectorySync(options.tokenDirectory, () => {
      const objects = listObjects(token)
      const { session: keySession, mechanisms } = token
      return asFault(() => work({ keySession, mechanisms, objects, roots: findRootKeys(objects) }))
    }),
  )
}

/** Here no `token.run` stands between the token and the caller. */
function asFault<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof TokenFailure) || error.remedy !== 'data') throw error
    throw new Fault('hsm.rejected', 'The token cannot unwrap this: it was altered, or is for another token.', {
      cause: error,
    })
  }
}

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

/** In a session, extractable: until it has been wrapped to the recipients. */
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
