import type { Granted, VaultAccess } from '../../access/caller.ts'
import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
import {
  decodeContent,
  mostBackupVersions,
  readKeyBackup,
  restoredPolicy,
  type KeyBackup,
  type BackupOrigin,
} from '../../hsm/key-backup-record.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { GeneratedKey } from '../../hsm/made-key.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import type { BackupOrigins } from './backup-origins.ts'
import { retryOutdated } from './outdated-key.ts'
import type { Destruction } from '../destruction/pending-destruction.ts'
import { lockPresentVault } from '../vaults/records.ts'
import { endKey } from './key-end.ts'
import type { SealedVaultKeys } from './sealed-vault-keys.ts'
import { existing, type KeyVersions, type SealedVersion } from './key-versions.ts'
import { findKey, findVersions, insertKey, insertVersion, type StoredKey, type TransparentKey } from './records.ts'
import {
  checkPolicy,
  sealedCount,
  sealedNewKey,
  sealedPolicy,
  sealedVersion,
  type SealedKey,
  mapBrokenSeal,
  mapRejected,
  raiseAfter,
} from './sealing.ts'
import { ofEachVersion } from './version-groups.ts'

export interface Restoration {
  readonly vaultId: number
  readonly name: string
  readonly stored: StoredKey | undefined
  readonly backup: Buffer
  readonly userId: number
  /** See `VaultAccess`. */
  readonly grantIn: VaultAccess['grantIn']
  /** Told the origin of the backup before anything is changed. */
  readonly noteOrigin: (origin: BackupOrigin | undefined) => void
  /** Whether an existing key of that name is replaced. */
  readonly force: boolean
}

/** Backup and restore of keys. Every method may also throw `key.tampered`, `hsm.*` and `store.*`. */
export interface KeyBackups {
  /**
   * A backup with all versions and flags, as text, which appliances with the same backup keys can restore.
   * @throws Fault `key.not_found`, `key.backup_forbidden`
   */
  backup(by: Granted, stored: StoredKey | undefined): Promise<{ key: TransparentKey; text: string }>
  /**
   * Restores all versions or none.
   * @throws Fault `backup.invalid`, `backup.foreign`, `key.exists`, `key.delete_forbidden`
   */
  restore(by: Granted, restoration: Restoration, commit: Commit): Promise<TransparentKey>
  /**
   * Allows a backup of any origin into a vault, for the operator only. Resolves to its origin.
   * @throws Fault `backup.invalid`, `vault.not_found`
   */
  accept(vaultId: number, backup: Buffer, commit: Commit): Promise<BackupOrigin | undefined>
}

interface KeyBackupDependencies {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Pick<
    Hsm,
    'seal' | 'sealNew' | 'verify' | 'raise' | 'sealBackup' | 'verifyBackup' | 'restoreKey' | 'sealTombstone'
  >
  readonly versions: Pick<KeyVersions, 'seal'>
  readonly origins: BackupOrigins
  readonly vaultKeys: SealedVaultKeys
  readonly destruction: Pick<Destruction, 'destroyPending'>
  readonly clock: Clock
}

export function createKeyBackups(on: KeyBackupDependencies): KeyBackups {
  const { origins, store } = on
  return {
    backup: (by, stored) => retryOutdated(store.read, stored, (current) => backUp(on, by, current)),

    restore: (by, restoration, commit) => restore(on, by, restoration, commit),

    async accept(vaultId, backup, commit) {
      const { origin } = await opened(on, backup)
      await commit((tx) => origins.accept(tx, vaultId, backup))
      return origin
    },
  }
}

async function backUp({ store, hsm, vaultKeys }: KeyBackupDependencies, by: Granted, stored: StoredKey | undefined) {
  const { key } = existing(stored)
  await checkPolicy(hsm, key)
  const found = await findVersions(store.read, key.id, key.latestVersion)
  if (key.allowBackup !== 1 || found.some(({ backupBlob }) => backupBlob === null))
    throw new Fault('key.backup_forbidden')
  if (found.length > mostBackupVersions)
    throw new Fault('key.backup_forbidden', `A backup has at most ${mostBackupVersions} versions of a key: trim it.`)
  const { vaultKey } = await vaultKeys.of(key.vaultId)
  const versions = found.map((version) => ({ key: sealedVersion(key, version), count: sealedCount(key, version) }))
  const grant = await by.grant()
  const backup = await mapBrokenSeal(() => hsm.sealBackup({ policy: sealedPolicy(key), vaultKey, grant, versions }))
  return { key, text: backup.toString('base64') }
}

async function restore(
  on: KeyBackupDependencies,
  by: Granted,
  { vaultId, userId, name, stored, backup, force, grantIn, noteOrigin }: Restoration,
  commit: Commit,
): Promise<TransparentKey> {
  if (stored && !force) throw nameTaken(stored.key)
  const content = await opened(on, backup)
  noteOrigin(content.origin)
  const { vault, vaultKey } = await on.vaultKeys.of(vaultId)
  const policy = { ...restoredPolicy(content), vaultId, name, createdAt: on.clock.now() }
  const row = await sealedNewKey(on.hsm, policy, vault, await by.grant())
  const to = { policy: sealedPolicy(row), vaultKey }
  const made = await restored(on, to, backup, content.versions.length)
  const versions = await sealedVersions(on, by, row, content, made)
  const arriving = { vaultId, userId, backup, origin: content.origin, vault: vault.toString('hex') }
  const arrival = { ...arriving, isAdminThere: await on.origins.isAdminThere(on.store.read, arriving, grantIn) }
  const key = await commit(async (tx) => {
    await lockPresentVault(tx, vaultId)
    await on.origins.check(tx, arrival)
    const present = await findKey(tx, vaultId, name)
    if (present && !force) throw nameTaken(present.key)
    if (present) await endReplaced(on, tx, present.key)
    raiseAfter(on.hsm, tx, sealedPolicy(row))
    return insert(tx, row, versions)
  })
  await on.destruction.destroyPending().catch(() => [])
  return key
}

async function opened({ hsm }: KeyBackupDependencies, bytes: Buffer): Promise<KeyBackup> {
  const { content } = readKeyBackup(bytes)
  try {
    await hsm.verifyBackup(bytes)
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

/** The material of all versions. Token hosts restore a limited number per request. */
async function restored(
  { hsm }: KeyBackupDependencies,
  to: Parameters<Hsm['restoreKey']>[1],
  backup: Buffer,
  count: number,
): Promise<readonly GeneratedKey[]> {
  const made: GeneratedKey[] = []
  while (made.length < count) {
    const next = () => hsm.restoreKey(backup, to, made.length)
    made.push(...(await mapRejected('backup.invalid', next)))
  }
  return made
}

/** Ends the key that a restoration replaces, without a recovery window. */
async function endReplaced({ hsm, clock }: KeyBackupDependencies, tx: Tx, key: TransparentKey): Promise<void> {
  await checkPolicy(hsm, key)
  if (key.allowDelete !== 1) throw new Fault('key.delete_forbidden')
  await endKey(hsm, tx, key, clock.now())
}

/**
 * Seals all versions before the transaction, in which waiting for the keeper, thousands of times for some keys, would
 * block other writers.
 */
function sealedVersions(
  { versions }: KeyBackupDependencies,
  by: Granted,
  row: SealedKey,
  { versions: backups }: KeyBackup,
  made: readonly GeneratedKey[],
): Promise<readonly SealedVersion[]> {
  const arriving = backups.flatMap(({ version, ...past }, index) => {
    const material = made[index]
    return material === undefined ? [] : [{ version, past, material }]
  })
  return ofEachVersion(arriving, async ({ version, past, material }) =>
    versions.seal(row, version, material, await by.grant(), past),
  )
}

async function insert(tx: Tx, row: SealedKey, versions: readonly SealedVersion[]): Promise<TransparentKey> {
  const key = await insertKey(tx, row)
  for (const version of versions) await insertVersion(tx, { keyId: key.id, ...version })
  return key
}

function nameTaken({ name, deletedAt }: TransparentKey): Fault {
  return new Fault(
    'key.exists',
    deletedAt === null
      ? `The vault has a key ${name} already: use another name, or force to replace it.`
      : `The vault has a deleted key ${name}: take it back (POST …/keys/${name}/undelete), use another name, or force to replace it.`,
  )
}
