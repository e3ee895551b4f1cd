import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
import type { GeneratedKey, Hsm } from '../../hsm/hsm.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import type { Invocations } from './invocations.ts'
import { changed, type KeyChanges } from './key-changes.ts'
import { KeyRows } from './key-rows.ts'
import { existing, type KeyVersions } from './key-versions.ts'
import { newRow, type NewKey } from './new-key.ts'
import {
  deleteVersionsBelow,
  findKey,
  findVersion,
  findVersions,
  insertKey,
  listKeys,
  type KeyVersion,
  type StoredKey,
  type TransparentKey,
} from './records.ts'
import { isDue } from './rotation-rule.ts'
import { checkPolicy, checkVersion, policyRecord } from './sealing.ts'

/** The life of keys. Every method may also throw `hsm.*` and `store.*` faults, and `key.tampered`. */
export interface Keyring {
  /** @throws Fault `key.exists`, `hsm.unsupported`, `key.residency` */
  create(key: NewKey, commit: Commit): Promise<StoredKey>
  /**
   * Makes a key and, in the same transaction, does what it is made for, which takes `spent` encryptions.
   * @throws Fault `store.conflict` when the name is taken
   */
  createAnd<T>(
    key: NewKey,
    spent: number,
    commit: Commit,
    use: (stored: StoredKey) => Promise<T>,
  ): Promise<{ stored: StoredKey; result: T }>
  /** Keeps material that came from outside as version 1 of a new key. @throws Fault `key.exists`, `key.residency` */
  adopt(key: NewKey, made: GeneratedKey, commit: Commit): Promise<{ stored: StoredKey }>
  /** The key with its versions, every seal checked. @throws Fault `key.not_found` */
  read(stored: StoredKey | undefined): Promise<{ key: TransparentKey; versions: readonly KeyVersion[] }>
  /** Keys in the order of their names, from the one after `after` on. */
  list(vaultId: number, after: string, limit: number): Promise<TransparentKey[]>
  /** @throws Fault `key.not_found`, `key.flag_off`, `key.version_unknown` */
  update(stored: StoredKey | undefined, changes: KeyChanges, commit: Commit): Promise<TransparentKey>
  /** Adds a version with new random material, and makes it the latest. @throws Fault `key.not_found` */
  rotate(stored: StoredKey | undefined, commit: Commit): Promise<StoredKey>
  /** The key as it is to encrypt with: rotated first when its latest version is too old, or nearly used up. */
  rotateIfDue(stored: StoredKey): Promise<StoredKey>
  /** Forbids, or allows again, every use of one version. @throws Fault `key.not_found`, `key.version_unknown` */
  setDisabled(
    stored: StoredKey | undefined,
    version: number,
    disabled: boolean,
    commit: Commit,
  ): Promise<TransparentKey>
  /** Destroys all versions before `oldest`. @throws Fault `key.not_found`, `key.version_unknown` */
  trim(stored: StoredKey | undefined, oldest: number, commit: Commit): Promise<TransparentKey>
}

export interface KeyringDependencies {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'seal' | 'verify' | 'destroyTokenObject'>
  readonly versions: KeyVersions
  readonly invocations: Invocations
  readonly clock: Clock
  /** `Commit` for what the appliance does by itself, with a record that says so. */
  readonly commitAsAppliance: <T>(operation: string, key: TransparentKey, work: (tx: Tx) => Promise<T>) => Promise<T>
}

export function createKeyring(dependencies: KeyringDependencies): Keyring {
  return new DatabaseKeyring(dependencies)
}

class DatabaseKeyring implements Keyring {
  readonly #in: KeyringDependencies
  readonly #rows: KeyRows

  constructor(dependencies: KeyringDependencies) {
    this.#in = dependencies
    this.#rows = new KeyRows(dependencies.hsm)
  }

  async create(key: NewKey, commit: Commit): Promise<StoredKey> {
    try {
      const { stored } = await this.createAnd(key, 0, commit, () => Promise.resolve())
      return stored
    } catch (error) {
      throw isFault(error, 'store.conflict') ? new Fault('key.exists') : error
    }
  }

  async createAnd<T>(
    key: NewKey,
    spent: number,
    commit: Commit,
    use: (stored: StoredKey) => Promise<T>,
  ): Promise<{ stored: StoredKey; result: T }> {
    const row = newRow(key, this.#in.clock.now())
    const made = await this.#in.versions.make(row)
    try {
      return await this.#insert(row, made, spent, commit, use)
    } catch (error) {
      await this.#in.versions.discard(made)
      throw error
    }
  }

  async adopt(key: NewKey, made: GeneratedKey, commit: Commit): Promise<{ stored: StoredKey }> {
    try {
      return await this.#insert(newRow(key, this.#in.clock.now()), made, 0, commit, () => Promise.resolve())
    } catch (error) {
      throw isFault(error, 'store.conflict') ? new Fault('key.exists') : error
    }
  }

  async read(stored: StoredKey | undefined) {
    const { key, latest } = existing(stored)
    const { hsm, store } = this.#in
    await checkPolicy(hsm, key)
    const found = key.oldestVersion === key.latestVersion ? [] : await findVersions(store.read, key.id)
    const versions = [...found.filter(({ version }) => version !== latest.version), latest]
    await Promise.all(versions.map((version) => checkVersion(hsm, key, version)))
    return { key, versions }
  }

  async list(vaultId: number, after: string, limit: number): Promise<TransparentKey[]> {
    const found = await listKeys(this.#in.store.read, vaultId, after, limit)
    await Promise.all(found.map(({ key }) => checkPolicy(this.#in.hsm, key)))
    return found.map(({ key }) => key)
  }

  update(stored: StoredKey | undefined, changes: KeyChanges, commit: Commit): Promise<TransparentKey> {
    return this.#rows.change(existing(stored).key, commit, async (current, tx) => {
      const next = changed(current, changes)
      if (changes.allowBackup === false && current.allowBackup === 1) await this.#rows.forgetBackups(tx, current)
      return next
    })
  }

  rotate(stored: StoredKey | undefined, commit: Commit): Promise<StoredKey> {
    return this.#rotate(existing(stored).key, commit, () => true)
  }

  async #rotate(
    admitted: TransparentKey,
    commit: Commit,
    wanted: (current: TransparentKey) => boolean,
  ): Promise<StoredKey> {
    const { versions, invocations } = this.#in
    const made = await versions.make(admitted)
    try {
      let latest: KeyVersion | undefined
      const key = await this.#rows.change(
        admitted,
        commit,
        (current) => {
          // The material was made as the flags were then: turned off in between, they would still be in it.
          const { allowExport, allowBackup } = current
          if (!wanted(current) || allowExport !== admitted.allowExport || allowBackup !== admitted.allowBackup)
            throw new Fault('store.conflict')
          return Promise.resolve({ ...current, latestVersion: current.latestVersion + 1 })
        },
        async (tx, next) => {
          latest = await versions.add(tx, next, next.latestVersion, made)
        },
      )
      if (latest === undefined) throw new TypeError('a rotation made no version')
      invocations.adopt(latest, 0)
      return { key, latest }
    } catch (error) {
      await versions.discard(made)
      throw error
    }
  }

  async rotateIfDue(stored: StoredKey): Promise<StoredKey> {
    if (!isDue(stored, this.#in.clock.now())) return stored
    // Age and count are believed, like everything else of a row, only under their seals.
    await checkVersion(this.#in.hsm, stored.key, stored.latest)
    try {
      const { key } = stored
      const commit: Commit = (work) => this.#in.commitAsAppliance('transparent.key.autorotate', key, work)
      return await this.#rotate(key, commit, ({ latestVersion }) => latestVersion === key.latestVersion)
    } catch (error) {
      // Another worker was quicker: its version is as good.
      const theirs = isFault(error, 'store.conflict')
        ? await findKey(this.#in.store.read, stored.key.vaultId, stored.key.name)
        : undefined
      if (theirs === undefined) throw error
      return theirs
    }
  }

  setDisabled(
    stored: StoredKey | undefined,
    version: number,
    disabled: boolean,
    commit: Commit,
  ): Promise<TransparentKey> {
    const { key } = existing(stored)
    return commit(async (tx) => {
      await checkPolicy(this.#in.hsm, key)
      const found = await findVersion(tx, key.id, version)
      if (found === null) throw new Fault('key.version_unknown')
      await this.#rows.replaceVersion(tx, key, found, { disabled: Number(disabled) })
      return key
    })
  }

  trim(stored: StoredKey | undefined, oldest: number, commit: Commit): Promise<TransparentKey> {
    let trimmed: KeyVersion[] = []
    return this.#rows
      .change(existing(stored).key, commit, async (current, tx) => {
        if (oldest > current.minDecryptionVersion || oldest > current.minEncryptionVersion)
          throw new Fault(
            'key.version_unknown',
            'Only versions below min_decryption_version and min_encryption_version can be trimmed: raise those first.',
          )
        trimmed = (await findVersions(tx, current.id)).filter(({ version }) => version < oldest)
        await deleteVersionsBelow(tx, current.id, oldest)
        return { ...current, oldestVersion: Math.max(oldest, current.oldestVersion) }
      })
      .then(async (key) => {
        await this.#rows.destroyMaterial(trimmed)
        return key
      })
  }

  async #insert<T>(
    row: Omit<TransparentKey, 'id' | 'seal'>,
    made: GeneratedKey,
    spent: number,
    commit: Commit,
    use: (stored: StoredKey) => Promise<T>,
  ) {
    const { hsm, versions, invocations } = this.#in
    const created = await commit(async (tx) => {
      const key = await insertKey(tx, row, (unsealed) => hsm.seal(policyRecord(unsealed)))
      const stored = { key, latest: await versions.add(tx, key, 1, made, { invocations: spent }) }
      return { stored, result: await use(stored) }
    })
    invocations.adopt(created.stored.latest, spent)
    return created
  }
}
