import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { GeneratedKey } from '../../hsm/made-key.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import type { Arrival, BackupOrigins } from './backup-origins.ts'
import {
  decodeContent,
  encodeContent,
  readBackup,
  writeBackup,
  type Backup,
  type BackupOrigin,
  type BackupVersion,
} from './backup.ts'
import type { NewKeyRow } from './key-policy.ts'
import { keyTypeOf } from './key-type.ts'
import { existing, type KeyVersions } from './key-versions.ts'
import {
  deleteKey,
  findKey,
  findVersions,
  insertKey,
  type KeyVersion,
  type StoredKey,
  type TransparentKey,
} from './records.ts'
import {
  checkPolicy,
  checkVersion,
  createKeyRows,
  keyReference,
  materialPurpose,
  sealedNewKey,
  type SealedKey,
  trusting,
} from './sealing.ts'

export interface ExportedVersion {
  readonly version: number
  /** Wrapped to the recipient (PKCS#11 v2.40 §2.1.21, RSA-OAEP ‖ AES-KWP), or the value in plain. */
  readonly material: Buffer
}

export interface Restoration {
  readonly vaultId: number
  readonly name: string
  readonly stored: StoredKey | undefined
  readonly backup: Buffer
  readonly userId: number
  /** Told where the backup is of, before anything is changed. */
  readonly noteOrigin: (origin: BackupOrigin | undefined) => void
  /** Whether a key of that name is replaced. */
  readonly force: boolean
}

/** How keys leave and come back. Also throws `key.tampered`, `hsm.*`, `store.*`. */
export interface Transfers {
  /**
   * All versions with flags, as text, restorable where the same backup keys are.
   * @throws Fault `key.not_found`, `key.backup_forbidden`
   */
  backup(stored: StoredKey | undefined): Promise<{ key: TransparentKey; text: string }>
  /** All versions or none. @throws Fault `backup.invalid`, `backup.foreign`, `key.exists`, `key.delete_forbidden` */
  restore(restoration: Restoration, commit: Commit): Promise<TransparentKey>
  /**
   * For the operator alone: lets a backup into a vault, whatever it is of; where it is of.
   * @throws Fault `backup.invalid`, `vault.not_found`
   */
  accept(vaultId: number, backup: Buffer, commit: Commit): Promise<BackupOrigin | undefined>
  /**
   * One version, or all that are not trimmed or disabled, wrapped to an RSA public key (DER SubjectPublicKeyInfo), or
   * in plain.
   * @throws Fault `key.not_found`, `key.export_forbidden`, `key.version_unknown`, `request.invalid`
   */
  exportKey(
    stored: StoredKey | undefined,
    version: number | undefined,
    recipient: Buffer | undefined,
  ): Promise<{ key: TransparentKey; versions: ExportedVersion[] }>
}

interface TransferDependencies {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Pick<
    Hsm,
    | 'seal'
    | 'sealNew'
    | 'verify'
    | 'sealBackup'
    | 'verifyBackup'
    | 'rewrapBackup'
    | 'restoreKey'
    | 'destroyTokenObject'
    | 'exportKey'
    | 'exportPlain'
  >
  readonly versions: Pick<KeyVersions, 'add' | 'find'>
  readonly origins: BackupOrigins
  readonly clock: Clock
}

export function createTransfers(on: TransferDependencies): Transfers {
  const { store, hsm, origins } = on
  return {
    async backup(stored) {
      const { key } = existing(stored)
      await checkPolicy(hsm, key)
      if (key.allowBackup !== 1) throw new Fault('key.backup_forbidden')
      const found = await findVersions(store.read, key.id)
      const content = encodeContent({
        ...key,
        origin: await origins.of(store.read, key.vaultId),
        versions: await Promise.all(found.map((version) => backedUp(on, key, version))),
      })
      return { key, text: writeBackup({ content, seal: await hsm.sealBackup(content) }) }
    },

    restore: (restoration, commit) => restore(on, restoration, commit),

    async accept(vaultId, backup, commit) {
      const { origin } = await opened(on, backup)
      await commit((tx) => origins.accept(tx, vaultId, backup))
      return origin
    },

    exportKey: (stored, version, recipient) => exportKey(on, stored, version, recipient),
  }
}

async function restore(
  on: TransferDependencies,
  { vaultId, userId, name, stored, backup, force, noteOrigin }: Restoration,
  commit: Commit,
): Promise<TransparentKey> {
  if (stored && !force) throw nameTaken(stored.key)
  const content = await opened(on, backup)
  noteOrigin(content.origin)
  const row = await sealedNewKey(on.hsm, restoredRow(on, { vaultId, name }, content))
  const made = await Promise.all(content.versions.map((version) => restored(on, row, version)))
  let replaced: KeyVersion[] = []
  const arrival: Arrival = { vaultId, userId, origin: content.origin, backup }
  const key = await commit(async (tx) => {
    await on.origins.check(tx, arrival)
    const present = await findKey(tx, vaultId, name)
    if (present && !force) throw nameTaken(present.key)
    if (present) replaced = await giveWay(on, tx, present.key)
    return insert(on, tx, row, content, made)
  })
  await createKeyRows(on.hsm).destroyMaterial(replaced)
  return key
}

async function exportKey(
  on: TransferDependencies,
  stored: StoredKey | undefined,
  version: number | undefined,
  recipient: Buffer | undefined,
) {
  const { store, hsm, versions } = on
  const found = existing(stored)
  const { key } = found
  await checkPolicy(hsm, key)
  if (key.allowExport !== 1) throw new Fault('key.export_forbidden')
  if (recipient === undefined && key.allowPlaintextExport !== 1)
    throw new Fault(
      'key.export_forbidden',
      'This key leaves wrapped only, for want of allow_plaintext_export: send public_key, an RSA public key to wrap it to.',
    )
  const chosen =
    version === undefined
      ? (await findVersions(store.read, key.id)).filter(({ disabled }) => disabled === 0)
      : [await versions.find(store.read, found, version, key.oldestVersion, 'exports')]
  return { key, versions: await Promise.all(chosen.map((one) => exported(on, key, one, recipient))) }
}

async function backedUp(
  { hsm }: TransferDependencies,
  key: TransparentKey,
  version: KeyVersion,
): Promise<BackupVersion> {
  await checkVersion(hsm, key, version)
  if (version.backupKek === null || version.backupBlob === null) throw new Fault('key.backup_forbidden')
  const backup = { kek: version.backupKek, blob: version.backupBlob }
  const isExportable = /^(?:backup-)?exportable\./.test(version.kek)
  return { ...version, ...(await hsm.rewrapBackup(keyTypeOf(key.type).kind, backup, isExportable)) }
}

async function opened({ hsm }: TransferDependencies, bytes: Buffer): Promise<Backup> {
  const { content, seal } = readBackup(bytes)
  try {
    await hsm.verifyBackup(content, seal)
  } catch (cause) {
    if (isFault(cause, 'hsm.seal_broken')) throw new Fault('backup.invalid', 'The backup was changed.')
    if (isFault(cause, 'hsm.rejected'))
      throw new Fault(
        'backup.invalid',
        'The backup comes from an appliance that does not share its backup keys with this one.',
      )
    throw cause
  }
  return decodeContent(content)
}

function restored(
  { hsm }: TransferDependencies,
  row: SealedKey,
  { kek, blob, publicKey }: BackupVersion,
): Promise<GeneratedKey> {
  const { type, allowExport } = row
  const purpose = materialPurpose({ ...row, id: 0 })
  const options = { exportable: allowExport === 1, backup: true, purpose, ...(publicKey ? { publicKey } : {}) }
  return refusing('backup.invalid', () => hsm.restoreKey(keyTypeOf(type).kind, { kek, blob }, options))
}

/** Deletes a key for good; its versions, so that what is in the token can follow. */
async function giveWay({ hsm }: TransferDependencies, tx: Tx, key: TransparentKey): Promise<KeyVersion[]> {
  await checkPolicy(hsm, key)
  if (key.allowDelete !== 1) throw new Fault('key.delete_forbidden')
  const replaced = await findVersions(tx, key.id)
  if (!(await deleteKey(tx, key))) throw new Fault('store.conflict')
  return replaced
}

function restoredRow(
  { clock }: TransferDependencies,
  place: Pick<TransparentKey, 'vaultId' | 'name'>,
  backup: Backup,
): NewKeyRow {
  const { versions, origin: _, ...flags } = backup
  const numbers = versions.map(({ version }) => version)
  return {
    ...flags,
    ...place,
    residency: 'database',
    allowBackup: 1,
    oldestVersion: Math.min(...numbers),
    latestVersion: Math.max(...numbers),
    createdAt: clock.now(),
    deletedAt: null,
  }
}

async function insert(
  { versions }: TransferDependencies,
  tx: Tx,
  row: SealedKey,
  { versions: backups }: Backup,
  made: readonly GeneratedKey[],
): Promise<TransparentKey> {
  const key = await insertKey(tx, row)
  for (const [index, { version, ...past }] of backups.entries()) {
    const material = made[index]
    if (material) await versions.add(tx, key, version, material, past)
  }
  return key
}

async function exported(
  { hsm }: TransferDependencies,
  key: TransparentKey,
  version: KeyVersion,
  recipient: Buffer | undefined,
) {
  const reference = keyReference(key, version)
  const material = await trusting(() =>
    recipient ? refusing('request.invalid', () => hsm.exportKey(reference, recipient)) : hsm.exportPlain(reference),
  )
  return { version: version.version, material }
}

function nameTaken({ name, deletedAt }: TransparentKey): Fault {
  return new Fault(
    'key.exists',
    deletedAt === null
      ? `The vault has a key ${name} already: use another name, or force to replace it.`
      : `The vault has a deleted key ${name}: take it back (POST …/keys/${name}/undelete), use another name, or force to replace it.`,
  )
}

async function refusing<T>(code: 'backup.invalid' | 'request.invalid', work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isFault(error, 'hsm.rejected') ? new Fault(code, error.detail) : error
  }
}
