import type { VaultAccess } from '../access/caller.ts'
import { includes } from '../access/permission.ts'
import type { Clock } from '../clock.ts'
import { Fault, isFault } from '../fault.ts'
import type { GeneratedKey, Hsm } from '../hsm/hsm.ts'
import type { Commit, Store, Tx } from '../store/store.ts'
import { checkLength, type Ciphertext } from './ciphertext.ts'
import type { Invocations } from './invocations.ts'
import { keyTypeOf, type KeyType } from './key-type.ts'
import {
  advanceLatestVersion,
  findKey,
  findKeyById,
  findVersion,
  insertKey,
  insertVersion,
  invocationsRecord,
  keyReference,
  policyRecord,
  sealedPolicy,
  versionRecord,
  type KeyVersion,
  type StoredKey,
  type TransparentKey,
} from './records.ts'

export interface NewKey {
  readonly vaultId: number
  readonly name: string
  readonly type: KeyType
  readonly info: string
  readonly allowExport: boolean
  readonly allowBackup: boolean
  readonly allowDelete: boolean
}

export interface Encrypted {
  readonly key: TransparentKey
  readonly version: number
  /** IV ‖ ciphertext ‖ tag. */
  readonly sealedText: Buffer
}

/** What a call to encrypt needs beside the key: what to create when there is none. */
export interface EncryptRequest {
  readonly vault: VaultAccess
  readonly stored: StoredKey | undefined
  readonly ifAbsent: NewKey
  /** The latest when undefined. */
  readonly version: number | undefined
  readonly plaintext: Buffer
}

/** The keys of the encryption facility. Every method may also throw `hsm.*` and `store.*` faults. */
export interface Keyring {
  /** @throws Fault `key.exists` */
  create(key: NewKey, commit: Commit): Promise<StoredKey>
  /** Checks the seal of what a read returns. @throws Fault `key.not_found`, `key.tampered` */
  read(stored: StoredKey | undefined): Promise<TransparentKey>
  /** Adds a version with new random material, and makes it the latest. @throws Fault `key.not_found`, `key.tampered` */
  rotate(stored: StoredKey | undefined, commit: Commit): Promise<TransparentKey>
  /**
   * Encrypts, and makes the key first where it is missing and the caller may write.
   * @throws Fault `access.permission`, `key.version_unknown`, `key.exhausted`, `key.tampered`
   */
  encrypt(request: EncryptRequest, commit: Commit): Promise<Encrypted>
  /** @throws Fault `key.not_found`, `key.version_unknown`, `ciphertext.malformed`, `ciphertext.invalid`, `key.tampered` */
  decrypt(stored: StoredKey | undefined, ciphertext: Ciphertext): Promise<{ key: TransparentKey; plaintext: Buffer }>
}

export interface KeyringDependencies {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'generate' | 'seal' | 'verify' | 'encrypt' | 'decrypt'>
  readonly invocations: Invocations
  readonly clock: Clock
}

export function createKeyring({ store, hsm, invocations, clock }: KeyringDependencies): Keyring {
  async function addVersion(tx: Tx, key: TransparentKey, version: number, made: GeneratedKey): Promise<KeyVersion> {
    const count = invocations.firstLease
    const unsealed = {
      keyId: key.id,
      version,
      kek: made.kek,
      blob: made.blob,
      backupKek: made.backup?.kek ?? null,
      backupBlob: made.backup?.blob ?? null,
      createdAt: clock.now(),
    }
    const sealed = {
      ...unsealed,
      seal: await hsm.seal(versionRecord(key, unsealed)),
      invocations: count,
      invocationsSeal: await hsm.seal(invocationsRecord(key.id, version, count)),
    }
    await insertVersion(tx, sealed)
    return sealed
  }

  function generate(type: KeyType, key: { allowExport: boolean; allowBackup: boolean }): Promise<GeneratedKey> {
    return hsm.generate(type.kind, { exportable: key.allowExport, backup: key.allowBackup })
  }

  /** Makes a key and, in the same transaction, does what it is made for. */
  async function createAnd<T>(key: NewKey, commit: Commit, use: (stored: StoredKey) => Promise<T>): Promise<{ stored: StoredKey; result: T }> {
    const made = await generate(key.type, key)
    const created = await commit(async (tx) => {
      const row = await insertKey(tx, newRow(key, clock.now()), (record) => hsm.seal(record))
      const stored = { key: row, latest: await addVersion(tx, row, 1, made) }
      return { stored, result: await use(stored) }
    })
    invocations.adopt(created.stored.latest)
    return created
  }

  async function create(key: NewKey, commit: Commit): Promise<StoredKey> {
    try {
      const { stored } = await createAnd(key, commit, () => Promise.resolve())
      return stored
    } catch (error) {
      throw isFault(error, 'store.conflict') ? new Fault('key.exists') : error
    }
  }

  async function encryptNew({ vault, ifAbsent, plaintext, version }: EncryptRequest, commit: Commit): Promise<Encrypted> {
    if (!includes(vault.permission, 'Write')) {
      throw new Fault('access.permission', `There is no key ${ifAbsent.name} in this vault, and making it needs Write; you have ${vault.permission}.`)
    }
    if (version !== undefined && version !== 1) throw new Fault('key.version_unknown')
    const { stored, result } = await createAnd(ifAbsent, commit, ({ key, latest }) => hsm.encrypt(keyReference(key, latest), plaintext))
    return { key: stored.key, version: 1, sealedText: result }
  }

  async function versionOf({ key, latest }: StoredKey, version: number): Promise<KeyVersion> {
    const found = version === latest.version ? latest : await findVersion(store.read, key.id, version)
    if (found === null) throw new Fault('key.version_unknown', `The key has no version ${version}; its latest is ${key.latestVersion}.`)
    return found
  }

  async function encryptExisting(stored: StoredKey, version: number, plaintext: Buffer): Promise<Encrypted> {
    const { key } = stored
    if (version < key.minEncryptionVersion) throw new Fault('key.version_unknown', `The key encrypts with version ${key.minEncryptionVersion} and later only.`)
    const row = await versionOf(stored, version)
    await invocations.spend(key, version)
    const sealedText = await trusting(() => hsm.encrypt(keyReference(key, row), plaintext))
    return { key, version, sealedText }
  }

  return {
    create,

    async read(stored) {
      const { key } = existing(stored)
      await trusting(() => hsm.verify(sealedPolicy(key)))
      return key
    },

    async rotate(stored, commit) {
      const { key: admitted } = existing(stored)
      const made = await generate(keyTypeOf(admitted.type), { allowExport: admitted.allowExport === 1, allowBackup: admitted.allowBackup === 1 })
      const { key, version } = await commit(async (tx) => {
        const current = existing(await findKeyById(tx, admitted.id))
        // A new seal over an edited row would make the edit good.
        await trusting(() => hsm.verify(sealedPolicy(current)))
        const next = { ...current, latestVersion: current.latestVersion + 1 }
        const sealed = { ...next, seal: await hsm.seal(policyRecord(next)) }
        if (!(await advanceLatestVersion(tx, sealed, current.latestVersion))) throw new Fault('store.conflict')
        return { key: sealed, version: await addVersion(tx, sealed, next.latestVersion, made) }
      })
      invocations.adopt(version)
      return key
    },

    async encrypt(request, commit) {
      const { stored, version, plaintext, ifAbsent } = request
      if (stored) return encryptExisting(stored, version ?? stored.key.latestVersion, plaintext)
      try {
        return await encryptNew(request, commit)
      } catch (error) {
        // Somebody else made the key in the meantime: theirs is as good.
        const theirs = isFault(error, 'store.conflict') ? await findKey(store, ifAbsent.vaultId, ifAbsent.name) : undefined
        if (theirs === undefined) throw error
        return encryptExisting(theirs, version ?? theirs.key.latestVersion, plaintext)
      }
    },

    async decrypt(stored, ciphertext) {
      const found = existing(stored)
      const { key } = found
      if (ciphertext.version < key.minDecryptionVersion) throw new Fault('key.version_unknown', `The key decrypts version ${key.minDecryptionVersion} and later only.`)
      const version = await versionOf(found, ciphertext.version)
      checkLength(ciphertext, keyTypeOf(key.type))
      try {
        return { key, plaintext: await trusting(() => hsm.decrypt(keyReference(key, version), ciphertext.sealedText)) }
      } catch (error) {
        throw isFault(error, 'hsm.rejected') ? new Fault('ciphertext.invalid') : error
      }
    },
  }
}

function existing<T>(found: T | undefined | null): T {
  if (found === undefined || found === null) throw new Fault('key.not_found')
  return found
}

/** Turns a broken seal into words about keys; the cause makes the operator hear of it. */
async function trusting<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use()
  } catch (cause) {
    throw isFault(cause, 'hsm.seal_broken') ? new Fault('key.tampered', undefined, { cause }) : cause
  }
}

function newRow({ type, allowExport, allowBackup, allowDelete, ...key }: NewKey, createdAt: number): Omit<TransparentKey, 'id' | 'seal'> {
  return {
    ...key,
    type: type.name,
    allowExport: Number(allowExport),
    allowBackup: Number(allowBackup),
    allowDelete: Number(allowDelete),
    latestVersion: 1,
    minEncryptionVersion: 1,
    minDecryptionVersion: 1,
    createdAt,
  }
}
