import { Fault } from '../../fault.ts'
import { decodeContent, restoredPolicy } from '../key-backup-record.ts'
import type { SealedRecord } from '../hsm.ts'
import { kindOfType, type KeyKind } from '../key-kind.ts'
import type { MadeKey, ImportOptions, WrappedKey } from '../made-key.ts'
import { receivedPurpose } from '../provenance.ts'
import type { Connection } from './connection.ts'
import { checkKey, checkLength } from './key-import-checks.ts'
import { rowOf, unwrapMechanism } from './key-kinds.ts'
import { acceptKey } from './key-making.ts'
import { privateTemplate, transientTemplate, unwrappedTemplate } from './key-templates.ts'
import { addOuterWrapping } from './outer-wrapping.ts'
import type { KeyHandle } from './pkcs11-session.ts'
import { requireSupport } from './kind-support.ts'
import { newKeyIdentity } from './new-key-policy.ts'
import { verifyBackup } from './seal-operations.ts'
import { withTransient, wrapUnder } from './session-keys.ts'
import type { Token } from './token-link.ts'

/** Versions that one request restores, so that other requests do not wait for all of a long backup. */
const versionsAtOnce = 64

export interface RestoredVersions {
  readonly kind: KeyKind
  /** The purpose of the keys (`receivedPurpose`). */
  readonly purpose: Buffer
  readonly keys: readonly MadeKey[]
}

/**
 * See `Hsm.restoreKey`. A key under a KEK with an unwrap template cannot be wrapped again: its blob in the backup
 * becomes the key's own. A key under a KEK of release 0.2.0 is wrapped under the KEKs of new keys.
 */
export function restoreKey(
  token: Token,
  bytes: Buffer,
  { policy, vaultKey }: { readonly policy: SealedRecord; readonly vaultKey: SealedRecord },
  from: number,
): RestoredVersions {
  const backup = decodeContent(verifyBackup(token, bytes))
  const kind = kindOfType(backup.type)
  const versions = from >= 0 ? backup.versions.slice(from, from + versionsAtOnce) : []
  if (kind === undefined || versions.length === 0) throw new Fault('hsm.rejected', 'The backup has no such version.')
  const outerWrapping = { ...newKeyIdentity(token, policy, restoredPolicy(backup)), vaultKey }
  const options = { exportable: backup.allowExport === 1, backup: true, outerWrapping }
  const keys = versions.map(({ publicKey, ...version }) =>
    restoreVersion(token, kind, version, { ...options, ...(publicKey ? { publicKey } : {}) }),
  )
  return { kind, purpose: receivedPurpose(outerWrapping), keys }
}

function restoreVersion(token: Token, kind: KeyKind, backup: WrappedKey, options: ImportOptions): MadeKey {
  return token.run((connection) => {
    requireSupport(connection, kind)
    const stays = staysUnder(connection, backup.kek, options.exportable)
    const key = unwrapBackup(connection, kind, backup, !stays)
    return withTransient(connection.keySession, [key], () =>
      stays ? keepKey(connection, kind, key, backup, options) : acceptKey(connection, kind, key, options),
    )
  })
}

/**
 * Returns the wrapped key for a backup. A key under a backup KEK of release 0.2.0 is wrapped again by the newest backup
 * KEK.
 */
export function currentBackup(
  connection: Connection,
  kind: KeyKind,
  backup: WrappedKey,
  exportable: boolean,
): WrappedKey {
  if (isHidden(connection, backup.kek) || isExportable(backup.kek)) return backup
  const key = unwrapBackup(connection, kind, backup, true)
  return withTransient(connection.keySession, [key], () => {
    const rewrapped = wrapUnder(connection, kind, exportable ? 'backup-exportable' : 'backup', key)
    checkLength(rowOf(kind), rewrapped)
    return rewrapped
  })
}

const isExportable = (kek: string): boolean => kek.startsWith('backup-exportable.')
const isHidden = ({ roots }: Connection, kek: string): boolean => kek.startsWith('backup.') && roots.hides(kek)

function staysUnder(connection: Connection, kek: string, exportable: boolean): boolean {
  if (isExportable(kek)) return exportable
  const hidden = isHidden(connection, kek)
  if (hidden && exportable) throw new Fault('hsm.rejected', 'This backup is of a key that was not made to be exported.')
  return hidden
}

function keepKey(
  connection: Connection,
  kind: KeyKind,
  key: KeyHandle,
  { kek, blob }: WrappedKey,
  options: ImportOptions,
): MadeKey {
  const row = rowOf(kind)
  const publicKey = checkKey(connection, row, key, options)
  const kept = { kek, blob: Buffer.from(blob) }
  checkLength(row, kept)
  return addOuterWrapping(connection, options.outerWrapping, {
    ...kept,
    publicKey,
    backup: options.backup ? kept : undefined,
  })
}

/** Unwraps a key of a backup as a session object, which is extractable when it will be wrapped again. */
function unwrapBackup(
  { keySession, roots, mechanisms }: Connection,
  kind: KeyKind,
  { kek, blob }: WrappedKey,
  isWrappedAnew: boolean,
): KeyHandle {
  if (!/^backup(?:-exportable)?\./.test(kek)) throw new Fault('hsm.rejected', `${kek} wraps no backups.`)
  const row = rowOf(kind)
  const hidden = row.serves === 'sign' ? privateTemplate(row, false) : unwrappedTemplate(row)
  const template = isWrappedAnew ? transientTemplate(row) : hidden
  return keySession.unwrap(unwrapMechanism(row, mechanisms), roots.kek(kek), blob, template)
}
