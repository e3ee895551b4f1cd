import pkcs11 from 'pkcs11js'
import { z } from 'zod'
import { Fault } from '../../fault.ts'
import { backupKeyRows, checkOf, makeShared, persist, receivedTemplate } from './backup-keys.ts'
import { openToken } from './connection.ts'
import { withDirectorySync } from './directory-sync.ts'
import { TokenFailure } from './failure.ts'
import { wrapTo } from './key-export.ts'
import { unwrapReceived } from './key-making.ts'
import { finalize, loadModule } from './module.ts'
import { withTransient } from './passing-keys.ts'
import type { Pkcs11Session } from './pkcs11-session.ts'
import { wrappingTemplate } from './public-keys.ts'
import { findRoot, findRootKeys, listObjects, type RootKeys, type TokenObject, versionOf } from './root-objects.ts'
import { parseTokenUri } from './token-uri.ts'

export interface BackupSharingOptions {
  /** PKCS#11 module (`hsm.module`). */
  readonly module: string
  /** RFC 7512 URI (`hsm.token`). */
  readonly uri: string
  readonly softhsmConf?: string | undefined
  readonly tokenDirectory?: string | undefined
  readonly readPin: () => string
}

export interface SharedBackupKeys {
  readonly version: number
  /**
   * 16 hexadecimal digits that tell the keys apart and nothing about them. The holders of the ceremony compare them by voice: a package
   * is wrapped to a public key, and so anybody could have made it.
   */
  readonly check: string
}

/**
 * Makes the next version of backup KEK and backup seal, known to this token and the recipients alone: born extractable in a session,
 * wrapped to each recipient, then kept, not extractable. No token can pass them on afterwards, so name every appliance at once.
 * `recipients`: transport public keys, DER SubjectPublicKeyInfo; each gets one of the `packages`, texts in the same order. Loads the module into
 * this process; token hosts use the new version when they are started again.
 * Throws as `createRootObjects` does, and `hsm.rejected` for a recipient that is no RSA key of 2048 to 8192 bits.
 */
export function createSharedBackupKeys(
  options: BackupSharingOptions & { readonly recipients: readonly Buffer[] },
): SharedBackupKeys & { readonly packages: readonly string[] } {
  const templates = options.recipients.map(wrappingTemplate)
  return withToken(options, ({ keySession: session, mechanisms, roots }) => {
    const version = 1 + Math.max(versionOf(roots.newestKek('backup').name), versionOf(roots.newestBackupSeal().name))
    const born = { kek: makeShared(session, backupKeyRows.kek), seal: makeShared(session, backupKeyRows.seal) }
    return withTransient(session, [born.kek, born.seal], () => {
      const checks = {
        kek: checkOf(session, backupKeyRows.kek, born.kek),
        seal: checkOf(session, backupKeyRows.seal, born.seal),
      }
      const packages = templates.map((template) => {
        const recipient = session.create(template)
        return withTransient(session, [recipient], () => {
          const [kek, seal] = parts.map((part) => wrapTo({ keySession: session, mechanisms }, recipient, born[part]))
          return JSON.stringify({
            format,
            version,
            checks,
            keys: { kek: kek?.toString('base64'), seal: seal?.toString('base64') },
          })
        })
      })
      for (const part of parts) persist(session, backupKeyRows[part], born[part], version)
      return { version, check: checks.kek + checks.seal, packages }
    })
  })
}

/**
 * Takes a package that was made for this token; the keys are unwrapped to what is not extractable and kept. One that is
 * there already, with the same check value, is left alone. Throws `hsm.rejected` for a package that was altered or is for another
 * token, and for a version that this token has with other keys.
 */
export function adoptBackupKeys(options: BackupSharingOptions, text: string): SharedBackupKeys {
  const { version, checks, keys } = readPackage(text)
  return withToken(options, (token) => {
    const arrived = parts.map((part) => ({
      part,
      key: unwrapReceived(token, Buffer.from(keys[part], 'base64'), receivedTemplate(backupKeyRows[part])),
    }))
    const objects = arrived.map(({ key }) => key)
    return withTransient(token.keySession, objects, () => {
      for (const { part, key } of arrived) {
        if (checkOf(token.keySession, backupKeyRows[part], key) !== checks[part])
          throw new Fault('hsm.rejected', 'The keys of the package do not have its check value: it was altered.')
      }
      const missing = arrived.filter(({ part }) => !isKept(token, part, version, checks[part]))
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

function withToken<T>(options: BackupSharingOptions, work: (token: OpenedToken) => T): T {
  const lib = loadModule({ path: options.module, softhsmConf: options.softhsmConf })
  try {
    const { session: keySession, mechanisms } = openToken(lib, parseTokenUri(options.uri), options.readPin)
    return withDirectorySync(options.tokenDirectory, () => {
      const objects = listObjects(keySession)
      return asFault(() => work({ keySession, mechanisms, objects, roots: findRootKeys(objects) }))
    })
  } finally {
    finalize(lib)
  }
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
