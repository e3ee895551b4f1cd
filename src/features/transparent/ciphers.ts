import type { Granted, VaultAccess } from '../../access/caller.ts'
import { Fault, isFault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Commit, Store } from '../../store/store.ts'
import { allFailed, mapEach, mapTogether, onToken, readyIn, type Batch } from './batch.ts'
import { retryOutdated } from './outdated-key.ts'
import { checkLength, type Ciphertext } from './ciphertext.ts'
import type { Invocations } from './invocations.ts'
import type { SealedVaultKeys } from './sealed-vault-keys.ts'
import type { NewKey } from './key-policy.ts'
import { checkAad, cipherOf, keyTypeOf, type KeyType } from './key-type.ts'
import { existing, perVersion, writableFrom, type KeyVersions } from './key-versions.ts'
import type { Keyring } from './keyring.ts'
import { findKey, type KeyVersion, type StoredKey, type TransparentKey } from './records.ts'

export interface PlainItem {
  readonly plaintext: Buffer
  readonly aad: Buffer | undefined
  /** Undefined: the latest version. */
  readonly version: number | undefined
}

export interface CipherItem {
  readonly ciphertext: Ciphertext
  readonly aad: Buffer | undefined
}

export interface RewrapItem extends CipherItem {
  /** Undefined: the latest version. */
  readonly toVersion: number | undefined
}

/** What encryption needs besides the items: the caller, the key, and what to create where there is none. */
export interface EncryptContext {
  readonly vault: VaultAccess
  readonly stored: StoredKey | undefined
  readonly ifAbsent: () => NewKey
}

/** The key that was used, and the result of each item. */
export interface Ciphered<T, Key = TransparentKey> {
  readonly key: Key
  readonly results: Batch<T>
}

/**
 * Encryption, decryption and rewrapping, item by item. The key is not used when every item has failed before. Faults of
 * the whole call are thrown: `key.not_found`, `key.wrong_type`, `key.tampered`, `access.permission`, `hsm.*`,
 * `store.*`.
 */
export interface Ciphers {
  /**
   * Creates the key first where it does not exist, provided the caller may write and at least one item can be
   * encrypted. Items: `key.version_unknown`, `key.version_disabled`, `key.exhausted`, `request.invalid`.
   */
  encrypt(
    context: EncryptContext,
    items: Batch<PlainItem>,
    commit: Commit,
  ): Promise<Ciphered<Ciphertext, TransparentKey | undefined>>
  /** Items: `ciphertext.malformed`, `ciphertext.invalid`, `key.version_unknown`, `key.version_disabled`. */
  decrypt(by: Granted, stored: StoredKey | undefined, items: Batch<CipherItem>): Promise<Ciphered<Buffer>>
  /**
   * Encrypts ciphertexts again under another version; the plaintext never leaves the token host. Items: the faults of
   * both.
   */
  rewrap(by: Granted, stored: StoredKey | undefined, items: Batch<RewrapItem>): Promise<Ciphered<Ciphertext>>
}

export interface CipherDependencies {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Pick<Hsm, 'encrypt' | 'decrypt' | 'rewrap' | 'encryptMany' | 'decryptMany' | 'rewrapMany'>
  readonly keyring: Pick<Keyring, 'createForUse' | 'rotateIfDue'>
  readonly versions: Pick<KeyVersions, 'find'>
  readonly invocations: Pick<Invocations, 'spend'>
  readonly vaultKeys: Pick<SealedVaultKeys, 'referencesOf'>
  /** Whether the vault lets the first use of a name create the key. */
  readonly createsOnUse: (vaultId: number) => Promise<boolean>
}

export function createCiphers(on: CipherDependencies): Ciphers {
  const { read } = on.store
  return {
    encrypt: (context, items, commit) =>
      retryOutdated(read, context.stored, (stored) => encrypt(on, { ...context, stored }, items, commit)),
    decrypt: (by, stored, items) => retryOutdated(read, stored, (current) => decrypt(on, by, current, items)),
    rewrap: (by, stored, items) => retryOutdated(read, stored, (current) => rewrap(on, by, current, items)),
  }
}

interface Prepared {
  readonly to: KeyVersion
  readonly plaintext: Buffer
  readonly aad: Buffer | undefined
}

interface Opened {
  readonly from: KeyVersion
  readonly ciphertext: Buffer
  readonly aad: Buffer | undefined
}

/** A ciphertext that the token rejects during decryption is invalid. */
const notOfThisKey = (): Fault => new Fault('ciphertext.invalid')

async function encrypt(on: CipherDependencies, context: EncryptContext, items: Batch<PlainItem>, commit: Commit) {
  const { vault, stored, ifAbsent } = context
  const failed = allFailed(items)
  if (failed) return { key: stored?.key, results: failed }
  if (stored) return encryptWith(on, vault, existing(stored), items)
  try {
    return await encryptWithNew(on, context, items, commit)
  } catch (error) {
    // A parallel call created the key: use that one.
    const { vaultId, name } = ifAbsent()
    const theirs = isFault(error, 'store.conflict') ? await findKey(on.store.read, vaultId, name) : undefined
    if (theirs === undefined) throw error
    return retryOutdated(on.store.read, theirs, (current) => encryptWith(on, vault, existing(current), items))
  }
}

async function encryptWith(on: CipherDependencies, by: Granted, stored: StoredKey, items: Batch<PlainItem>) {
  const asked = readyIn(items).map(({ version }) => version)
  const found = asked.includes(undefined) ? await on.keyring.rotateIfDue(stored) : stored
  const { key } = found
  const type = keyTypeOf(key.type)
  const target = await writable(on, by, found, asked)
  const prepared = mapEach(items, ({ version, plaintext, aad }) => {
    checkAad(type, aad)
    return { to: target(version), plaintext, aad }
  })
  return { key, results: await encryptAll(on, by, key, prepared) }
}

/** Creates the key; the key and its first use are committed together. */
async function encryptWithNew(
  on: CipherDependencies,
  { vault, ifAbsent }: EncryptContext,
  items: Batch<PlainItem>,
  commit: Commit,
) {
  const made = ifAbsent()
  await checkCreatesOnUse(vault, made, on.createsOnUse)
  cipherOf(made.type)
  const fitting = mapEach(items, (item) => checkFirst(made.type, item))
  // A key is created only if at least one item can be encrypted.
  const failed = allFailed(fitting)
  if (failed) return { key: undefined, results: failed }
  const firstUse = {
    encryptions: readyIn(items).length,
    run({ key, latest }: StoredKey) {
      const prepared = mapEach(fitting, (item) => ({ ...item, to: latest }))
      return encryptAll(on, vault, key, prepared)
    },
  }
  const { stored, result } = await on.keyring.createForUse(vault, made, firstUse, commit)
  return { key: stored.key, results: result }
}

async function encryptAll(
  { hsm, vaultKeys }: CipherDependencies,
  by: Granted,
  key: TransparentKey,
  items: Batch<Prepared>,
) {
  const referenceTo = await vaultKeys.referencesOf(key, await by.grant())
  const work = (ready: readonly Prepared[]) =>
    onToken(
      ready.map(({ to, plaintext, aad }) => ({ key: referenceTo(to), plaintext, aad })),
      (one) => hsm.encrypt(one.key, one.plaintext, one.aad),
      (all) => hsm.encryptMany(all),
    )
  return mapTogether(items, work, (bytes, { to }): Ciphertext => ({ version: to.version, bytes }))
}

async function decrypt(on: CipherDependencies, by: Granted, stored: StoredKey | undefined, items: Batch<CipherItem>) {
  const found = existing(stored)
  const { key } = found
  const failed = allFailed(items)
  if (failed) return { key, results: failed }
  const opened = mapEach(items, await opener(on, found, items))
  const referenceTo = await on.vaultKeys.referencesOf(key, await by.grant())
  const work = (ready: readonly Opened[]) =>
    onToken(
      ready.map(({ from, ciphertext, aad }) => ({ key: referenceTo(from), ciphertext, aad })),
      (one) => on.hsm.decrypt(one.key, one.ciphertext, one.aad),
      (all) => on.hsm.decryptMany(all),
      notOfThisKey,
    )
  return { key, results: await mapTogether(opened, work, (plaintext) => plaintext) }
}

async function rewrap(on: CipherDependencies, by: Granted, stored: StoredKey | undefined, items: Batch<RewrapItem>) {
  const given = existing(stored)
  const failed = allFailed(items)
  if (failed) return { key: given.key, results: failed }
  const found = await on.keyring.rotateIfDue(given)
  const { key } = found
  const asked = readyIn(items).map(({ toVersion }) => toVersion)
  const target = await writable(on, by, found, asked)
  const open = await opener(on, found, items)
  const opened = mapEach(items, (item) => ({ ...open(item), to: target(item.toVersion) }))
  const referenceTo = await on.vaultKeys.referencesOf(key, await by.grant())
  const work = (ready: readonly (Opened & Pick<Prepared, 'to'>)[]) =>
    onToken(
      ready.map(({ from, to, ciphertext, aad }) => {
        return { from: referenceTo(from), to: referenceTo(to), ciphertext, aad, newAad: aad }
      }),
      (one) => on.hsm.rewrap(one),
      (all) => on.hsm.rewrapMany(all),
      notOfThisKey,
    )
  return { key, results: await mapTogether(opened, work, (bytes, { to }) => ({ version: to.version, bytes })) }
}

/**
 * The versions to encrypt with. The encryptions are counted here, even for items that fail later. Where a version is
 * nearly exhausted, either all items of a call fit or none.
 */
function writable(on: CipherDependencies, by: Granted, stored: StoredKey, asked: readonly (number | undefined)[]) {
  const { key } = stored
  cipherOf(keyTypeOf(key.type))
  return perVersion(asked, async (version, count) => {
    const wanted = version ?? key.latestVersion
    const found = await on.versions.find(stored, wanted, writableFrom(key), 'encrypts')
    await on.invocations.spend(by, key, found.version, count)
    return found
  })
}

/** Parses the ciphertexts and finds the version that made each of them. */
async function opener(
  { versions }: CipherDependencies,
  stored: StoredKey,
  items: Batch<CipherItem>,
): Promise<(item: CipherItem) => Opened> {
  const { key } = stored
  const type = keyTypeOf(key.type)
  const cipher = cipherOf(type)
  const asked = readyIn(items).map(({ ciphertext }) => ciphertext.version)
  const source = await perVersion(asked, (version) =>
    versions.find(stored, version, key.minDecryptionVersion, 'decrypts'),
  )
  return ({ ciphertext, aad }) => {
    checkAad(type, aad)
    const from = source(ciphertext.version)
    checkLength(ciphertext, cipher)
    return { from, ciphertext: ciphertext.bytes, aad }
  }
}

async function checkCreatesOnUse(
  vault: Pick<VaultAccess, 'id'>,
  { name }: NewKey,
  createsOnUse: CipherDependencies['createsOnUse'],
): Promise<void> {
  if (!(await createsOnUse(vault.id)))
    throw new Fault(
      'key.not_found',
      `There is no key ${name} in this vault, and the vault does not make keys on first use: create it.`,
    )
}

/** Checks an item for a key that does not exist yet. */
function checkFirst(type: KeyType, item: PlainItem): PlainItem {
  if (item.version !== undefined && item.version !== 1)
    throw new Fault('key.version_unknown', 'There is no such key yet: its first version will be 1.')
  checkAad(type, item.aad)
  return item
}
