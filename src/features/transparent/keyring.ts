import type { Granted } from '../../access/caller.ts'
import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { GeneratedKey } from '../../hsm/made-key.ts'
import { retryOvertaken } from '../../store/overtaken.ts'
import type { Commit, Reader, Store, Tx } from '../../store/store.ts'
import { UndecidedCommit } from '../../store/undecided-commit.ts'
import type { CallersGrant, Destruction } from '../destruction/pending-destruction.ts'
import { lockPresentVault } from '../vaults/records.ts'
import type { Invocations } from './invocations.ts'
import { noteObjects } from './key-end.ts'
import type { SealedVaultKeys } from './sealed-vault-keys.ts'
import { createKeyRotation } from './key-rotation.ts'
import { updateKey } from './key-update.ts'
import { newKeyRow, type KeyChanges, type NewKey } from './key-policy.ts'
import { existing, type KeyVersions } from './key-versions.ts'
import {
  deleteVersionsBelow,
  findVersion,
  findVersions,
  insertKey,
  insertVersion,
  listKeys,
  type KeySelection,
  type KeyVersion,
  type StoredKey,
  type TransparentKey,
} from './records.ts'
import type { CommitForKey } from './rotation-commit.ts'
import {
  checkPolicy,
  checkVersion,
  createKeyRows,
  presentKey,
  raiseAfter,
  sealedNewKey,
  sealedPolicy,
  type SealedKey,
} from './sealing.ts'
import { ofEachVersion } from './version-groups.ts'
import type { VersionLimits } from './version-limits.ts'

/** Creates, reads and changes keys. Every method may also throw `hsm.*` and `store.*` faults, and `key.tampered`. */
export interface Keyring {
  /** @throws Fault `key.exists`, `hsm.unsupported`, `key.residency`, `key.token_full` */
  create(by: Granted, key: NewKey, commit: Commit): Promise<StoredKey>
  /**
   * Creates a key and, in the same transaction, uses it.
   * @throws Fault `store.conflict` when the name is taken
   */
  createForUse<T>(
    by: Granted,
    key: NewKey,
    firstUse: FirstUse<T>,
    commit: Commit,
  ): Promise<{ stored: StoredKey; result: T }>
  /**
   * Creates a key whose version 1 is imported material.
   * @throws Fault `key.exists`, `key.residency`, and those of the material
   */
  createImported(by: Granted, key: NewKey, material: ImportedMaterial, commit: Commit): Promise<{ stored: StoredKey }>
  /** The key and its versions, with every seal checked. @throws Fault `key.not_found` */
  read(stored: StoredKey | undefined): Promise<{ key: TransparentKey; versions: readonly KeyVersion[] }>
  /** A page of keys by name. The seal of the key is checked, and that of the latest version where the page shows it. */
  list(vaultId: number, page: KeyPage): Promise<StoredKey[]>
  /** @throws Fault `key.not_found`, `key.flag_off`, `key.version_unknown` */
  update(by: Granted, stored: StoredKey | undefined, changes: KeyChanges, commit: Commit): Promise<TransparentKey>
  /**
   * Adds a version with new random material and makes it the latest.
   * @throws Fault `key.not_found`, `key.versions`, `key.token_full`
   */
  rotate(by: Granted, stored: StoredKey | undefined, commit: Commit): Promise<StoredKey>
  /** The key to encrypt with. It is rotated first when its latest version is too old or its count nearly exhausted. */
  rotateIfDue(stored: StoredKey): Promise<StoredKey>
  /** Disables or enables one version for all uses. @throws Fault `key.not_found`, `key.version_unknown` */
  setDisabled(
    stored: StoredKey | undefined,
    version: number,
    disabled: boolean,
    commit: Commit,
  ): Promise<TransparentKey>
  /** Destroys all versions before `oldest`. @throws Fault `key.not_found`, `key.version_unknown` */
  trim(stored: StoredKey | undefined, oldest: number, commit: Commit): Promise<TransparentKey>
}

/** The first use of a key. It reads nothing from the database. */
export interface FirstUse<T> {
  /** The number of encryptions that it makes. */
  readonly encryptions: number
  readonly run: (stored: StoredKey) => Promise<T>
}

/** Material that was made elsewhere. */
export interface ImportedMaterial {
  readonly make: (key: SealedKey) => Promise<GeneratedKey>
  /** Uses up what allows the import. Called in the transaction of the key, once its vault is locked. */
  readonly useUp: (tx: Tx) => Promise<void>
}

export interface KeyPage extends KeySelection {
  readonly isShown: (name: string) => boolean
  readonly isLatestShown: boolean
}

interface KeyringDependencies {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Pick<Hsm, 'seal' | 'sealNew' | 'grantRotation' | 'verify' | 'raise'>
  readonly versions: KeyVersions
  readonly invocations: Pick<Invocations, 'holdFirstLease'>
  readonly vaultKeys: Pick<SealedVaultKeys, 'of'>
  readonly destruction: Pick<Destruction, 'destroyPending'>
  readonly clock: Clock
  readonly commitAsAppliance: CommitForKey
  readonly limits: VersionLimits
}

export function createKeyring(on: KeyringDependencies): Keyring {
  const { store, hsm } = on
  const rows = createKeyRows(hsm)
  return {
    createForUse: async (by, key, firstUse, commit) => createForUse(on, by, key, firstUse, commit),

    async create(by, key, commit) {
      const { stored } = await createForUse(on, by, key, unused, commit).catch(nameTaken)
      return stored
    },

    async createImported(by, key, { make, useUp }, commit) {
      const row = await sealedNew(on, by, key)
      return insert(on, by, { row, made: await make(row), useUp }, unused, commit).catch(nameTaken)
    },

    read: (stored) => read(on, stored),

    async list(vaultId, page) {
      const found = await pageOf(store.read, vaultId, page)
      await Promise.all(
        found.map(async ({ key, latest }) => {
          await checkPolicy(hsm, key)
          if (page.isLatestShown) await checkVersion(hsm, key, latest)
        }),
      )
      return found
    },

    update: async (by, stored, changes, commit) => updateKey(on, by, existing(stored).key, changes, commit),

    ...createKeyRotation(on, (policy, grant, work) => withMaterial(on, policy, grant, work)),

    async setDisabled(stored, version, disabled, commit) {
      const authorized = existing(stored).key
      const switched = async (tx: Tx): Promise<TransparentKey> => {
        const key = await presentKey(hsm, tx, authorized)
        const found = await findVersion(tx, key.id, version)
        if (found === null) throw new Fault('key.version_unknown')
        await rows.replaceVersion(tx, key, found, { disabled: Number(disabled) })
        return key
      }
      return retryOvertaken(() => commit(switched))
    },

    trim: (stored, oldest, commit) => trim(on, stored, oldest, commit),
  }
}

async function pageOf(reader: Reader, vaultId: number, { isShown, ...page }: KeyPage): Promise<StoredKey[]> {
  const { most } = page
  const shown: StoredKey[] = []
  for (let after: string | undefined = page.after; after !== undefined && shown.length < most;) {
    const found: StoredKey[] = await listKeys(reader, vaultId, { ...page, after })
    shown.push(...found.filter(({ key }) => isShown(key.name)))
    after = found.length < most ? undefined : found.at(-1)?.key.name
  }
  return shown.slice(0, most)
}

interface NewMaterial extends Partial<Pick<ImportedMaterial, 'useUp'>> {
  readonly row: SealedKey
  readonly made: GeneratedKey
}

async function insert<T>(
  { hsm, versions, invocations }: KeyringDependencies,
  by: Granted,
  { row, made, useUp }: NewMaterial,
  { encryptions, run }: FirstUse<T>,
  commit: Commit,
): Promise<{ stored: StoredKey; result: T }> {
  // Sealed before the transaction, in which waiting for the keeper would block other writers.
  const sealed = await versions.seal(row, 1, made, await by.grant(), { invocations: encryptions })
  const created = await commit(async (tx) => {
    await lockPresentVault(tx, row.vaultId)
    await useUp?.(tx)
    const key = await insertKey(tx, row)
    const latest = { keyId: key.id, ...sealed }
    await insertVersion(tx, latest)
    raiseAfter(hsm, tx, sealedPolicy(key))
    const stored = { key, latest }
    return { stored, result: await run(stored) }
  })
  invocations.holdFirstLease(created.stored.latest, encryptions)
  return created
}

/** Runs work with new material, and destroys the material when the work fails. */
async function withMaterial<T>(
  { versions }: KeyringDependencies,
  key: SealedKey,
  grant: CallersGrant,
  work: (made: GeneratedKey) => Promise<T>,
): Promise<T> {
  const made = await versions.make(key, grant)
  try {
    return await work(made)
  } catch (error) {
    if (!(error instanceof UndecidedCommit)) await versions.discard(key, made, grant)
    throw error
  }
}

async function sealedNew({ hsm, vaultKeys, clock }: KeyringDependencies, by: Granted, key: NewKey): Promise<SealedKey> {
  const row = newKeyRow(key, clock.now())
  return sealedNewKey(hsm, row, (await vaultKeys.of(key.vaultId)).vault, await by.grant())
}

async function createForUse<T>(
  on: KeyringDependencies,
  by: Granted,
  key: NewKey,
  firstUse: FirstUse<T>,
  commit: Commit,
) {
  await on.limits.checkToken(key)
  const row = await sealedNew(on, by, key)
  return withMaterial(on, row, by.grant, (made) => insert(on, by, { row, made }, firstUse, commit))
}

async function read({ store, hsm }: KeyringDependencies, stored: StoredKey | undefined) {
  const { key, latest } = existing(stored)
  await checkPolicy(hsm, key)
  const found = key.oldestVersion === key.latestVersion ? [] : await findVersions(store.read, key.id, key.latestVersion)
  const all = [...found.filter(({ version }) => version !== latest.version), latest]
  await ofEachVersion(all, (version) => checkVersion(hsm, key, version))
  return { key, versions: all }
}

async function trim(
  { hsm, clock, destruction }: KeyringDependencies,
  stored: StoredKey | undefined,
  oldest: number,
  commit: Commit,
) {
  const trimming = async (current: TransparentKey) => {
    if (oldest > current.minDecryptionVersion || oldest > current.minEncryptionVersion)
      throw new Fault(
        'key.version_unknown',
        'Only versions below min_decryption_version and min_encryption_version can be trimmed: raise those first.',
      )
    return Promise.resolve({ ...current, oldestVersion: Math.max(oldest, current.oldestVersion) })
  }
  const key = await createKeyRows(hsm).change(existing(stored).key, commit, trimming, async (tx, next) => {
    const trimmed = (await findVersions(tx, next.id)).filter(({ version }) => version < oldest)
    await noteObjects(tx, next, trimmed, sealedPolicy(next), clock.now())
    await deleteVersionsBelow(tx, next.id, oldest)
  })
  // The versions are gone from the database in any case; what the token could not destroy now is destroyed later.
  await destruction.destroyPending().catch(() => [])
  return key
}

const unused: FirstUse<void> = { encryptions: 0, run: () => Promise.resolve() }

function nameTaken(error: unknown): never {
  throw isFault(error, 'store.conflict') ? new Fault('key.exists') : error
}
