import { hash } from 'node:crypto'
import pkcs11 from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { checkValueOf } from './backup-key-check.ts'
import type { CeremonyHelperOptions } from './ceremony-helper.ts'
import { checkDigest, type CeremonyPackage, packageFormat, readRequest, writePackage } from './ceremony-papers.ts'
import { withDirectorySync } from './directory-sync.ts'
import { TokenFailure } from './failure.ts'
import { hidesKeys } from './kek-probe.ts'
import { hmacSha256, oaep } from './mechanisms.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import { wrappingTemplate } from './public-keys.ts'
import { makeBackupKeys, rootMaking } from './root-creation.ts'
import { backupRoles, versionsOfBackupKeys, versionsOfRole } from './root-objects.ts'
import { sealBytes } from './seal-versions.ts'
import { asSecurityOfficer, ceremonyLabel, destroyTrusted, trustedTemplate } from './security-officer.ts'
import { listObjects } from './token-objects.ts'
import { type OpenToken, withToken } from './token-opening.ts'

export interface BackupSharingOptions extends CeremonyHelperOptions {
  readonly soPin: string
  /** Whether keys that are made or received here may leave the token again (`hsm.movable`). */
  readonly movable?: boolean
}

export interface SharedBackupKeys {
  /** Oldest first. */
  readonly versions: readonly number[]
  /** Whether a new version was made for the package. Token hosts use it after their next start. */
  readonly madeVersion: boolean
  readonly package: string
}

/**
 * Wraps every version of the backup keys for the appliance that made `request`. `heard` is the digest of the request,
 * as its operator read it aloud. Unless our newest version is later than the receiver's, makes a new one, so that both
 * appliances go on with the same version. During the call the SO marks the receiver's public key as trusted. `known`:
 * our newest version, see `KnownVersion`.
 * @throws Fault `hsm.rejected`; `hsm.unsupported` where the token cannot make or wrap such keys
 */
export function shareBackupKeys(
  options: BackupSharingOptions,
  request: string,
  heard: string,
  known = Infinity,
): SharedBackupKeys {
  checkDigest(request, heard)
  const { publicKey, receiver, newest } = readRequest(request)
  const wrapping = wrappingTemplate(Buffer.from(publicKey, 'base64'))
  const id = hash('sha256', request, 'buffer')
  return withDirectorySync(options.tokenDirectory, () => {
    try {
      asSecurityOfficer(options, options.soPin, (so) => so.create(trustedTemplate(wrapping, id)))
      return withToken(options, (token) => {
        const { sets, madeVersion } = setsToShare(token, options, { here: known, there: newest })
        const recipient = onlyTrusted(token.session, id)
        const content: CeremonyPackage = {
          format: packageFormat,
          sender: { label: token.info.label, serial: token.info.serialNumber },
          receiver,
          request: id.toString('hex'),
          versions: sets.map((set) => wrapSet(token.session, recipient, set)),
        }
        const seal = sets.at(-1)?.keys['backup-seal'] ?? recipient
        return {
          versions: sets.map(({ version }) => version),
          madeVersion,
          package: writePackage(content, (bytes) =>
            token.session.sign(hmacSha256, seal, bytes, Buffer.alloc(sealBytes)),
          ),
        }
      })
    } finally {
      withToken(options, ({ session }) => destroyTrusted(session))
    }
  })
}

type BackupRole = (typeof backupRoles)[number]

interface BackupKeySet {
  readonly version: number
  readonly keys: Readonly<Record<BackupRole, KeyHandle>>
}

function setsToShare(
  token: OpenToken,
  options: BackupSharingOptions,
  newest: { readonly here: number; readonly there: number },
) {
  const before = shareableSets(token).filter(({ version }) => version <= newest.here)
  if ((before.at(-1)?.version ?? 0) > newest.there) return { sets: before, madeVersion: false }
  const making = rootMaking(token, options)
  const objects = listObjects(token)
  const present = versionsOfBackupKeys(objects)
  const made = Math.max(...present, newest.there, Date.now()) + 1
  makeBackupKeys(made, making, objects)
  const [warning] = making.warnings
  if (warning !== undefined) throw new Fault('hsm.unsupported', warning)
  const sets = shareableSets(token).filter(({ version }) => version <= newest.here || version === made)
  return { sets, madeVersion: true }
}

/** All complete versions that a trusted key can wrap, oldest first. */
function shareableSets(token: OpenToken): BackupKeySet[] {
  const objects = listObjects(token)
  const [keks, exportables, seals] = backupRoles.map((role) => versionsOfRole(objects, role))
  return [...(keks ?? [])]
    .flatMap(([version, kek]) => {
      const [exportable, seal] = [exportables?.get(version), seals?.get(version)]
      if (exportable === undefined || seal === undefined || !hidesKeys(token.session, kek)) return []
      return [{ version, keys: { 'kek.backup': kek, 'kek.backup-exportable': exportable, 'backup-seal': seal } }]
    })
    .toSorted((one, other) => one.version - other.version)
}

function onlyTrusted(session: Pkcs11Session, id: Buffer): KeyHandle {
  const [found, another] = session.find([
    { type: pkcs11.CKA_TRUSTED, value: true },
    { type: pkcs11.CKA_LABEL, value: ceremonyLabel },
    { type: pkcs11.CKA_ID, value: id },
  ])
  if (found === undefined || another !== undefined)
    throw new Fault('hsm.unsupported', 'The token made no trusted key: its backup keys cannot be shared.')
  return found
}

function wrapSet(session: Pkcs11Session, recipient: KeyHandle, { version, keys }: BackupKeySet) {
  try {
    return {
      version,
      keys: eachRole((role) => session.wrap(oaep, recipient, keys[role]).toString('base64')),
      checks: eachRole((role) => checkValueOf(session, role, keys[role])),
    }
  } catch (error) {
    if (!(error instanceof TokenFailure)) throw error
    throw new Fault('hsm.unsupported', `This token lets version ${version} of the backup keys out to no trusted key.`, {
      cause: error,
    })
  }
}

function eachRole<T>(of: (role: BackupRole) => T): Record<BackupRole, T> {
  return {
    'kek.backup': of('kek.backup'),
    'kek.backup-exportable': of('kek.backup-exportable'),
    'backup-seal': of('backup-seal'),
  }
}
