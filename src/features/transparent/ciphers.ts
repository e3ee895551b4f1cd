import type { Granted, VaultAccess } from '../../access/caller.ts'
import { Fault, isFault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Commit, Store } from '../../store/store.ts'
import { allFailed, mapEach, mapTogether, onToken, readyIn, type Batch } from './batch.ts'
import { asItIsNow } from './changed-key.ts'
import { checkLength, type Ciphertext } from './ciphertext.ts'
import type { Invocations } from './invocations.ts'
import type { KeyPlaces } from './key-places.ts'
import type { NewKey } from './key-policy.ts'
import { checkAad, cipherOf, keyTypeOf, type KeyType } from './key-type.ts'
import { existing, perVersion, writableFrom, type KeyVersions } from './key-versions.ts'
import type { Keyring } from './keyring.ts'
import { findKey, type KeyVersion, type StoredKey, type TransparentKey } from './records.ts'

export interface PlainItem {
  readonly plaintext: Buffer
  readonly aad: Buffer | undefined
  /** The latest when undefined. */
  readonly version: number | undefined
}

export interface CipherItem {
  readonly ciphertext: Ciphertext
  readonly aad: Buffer | undefined
}

export interface RewrapItem extends CipherItem {
  /** The latest when undefined. */
  readonly toVersion: number | undefined
}

/** What a call to encrypt needs beside its items: what to create when there is no such key. */
export interface EncryptContext {
  readonly vault: VaultAccess
  readonly stored: StoredKey | undefined
  readonly ifAbsent: () => NewKey
}

/** The key that was used, and what became of each item. */
export interface Ciphered<T, Key = TransparentKey> {
  readonly key: Key
  readonly results: Batch<T>
}

/**
 * The use of keys that encrypt, item by item; where every item has failed already, the key is left alone. What
 * concerns the whole call is thrown: `key.not_found`, `key.wrong_type`, `key.tampered`, `access.permission`, `hsm.*`,
 * `store.*`.
 */
export interface Ciphers {
  /**
   * Makes the key first where it is missing, the caller may write and an item can be encrypted; without any there is
   * still no key. Items: `key.version_unknown`, `key.version_disabled`, `key.exhausted`, `request.invalid`.
   */
  encrypt(
    context: EncryptContext,
    items: Batch<PlainItem>,
    commit: Commit,
  ): Promise<Ciphered<Ciphertext, TransparentKey | undefined>>
  /** Items: `ciphertext.malformed`, `ciphertext.invalid`, `key.version_unknown`, `key.version_disabled`. */
  decrypt(by: Granted, stored: StoredKey | undefined, items: Batch<CipherItem>): Promise<Ciphered<Buffer>>
  /** Encrypts anew under another version; the plaintext never leaves the token host. Items as for both. */
  rewrap(by: Granted, stored: StoredKey | undefined, items: Batch<RewrapItem>): Promise<Ciphered<Ciphertext>>
}

export interface CipherDependencies {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Pick<Hsm, 'encrypt' | 'decrypt' | 'rewrap' | 'encryptMany' | 'decryptMany' | 'rewrapMany'>
  readonly keyring: Pick<Keyring, 'createAnd' | 'rotateIfDue'>
  readonly versions: Pick<KeyVersions, 'find'>
  readonly invocations: Pick<Invocations, 'spend'>
  readonly places: Pick<KeyPlaces, 'referencesOf'>
  /** Whether a vault lets a first use make the key. */
  readonly createsOnUse: (vaultId: number) => Promise<boolean>
}

export function createCiphers(on: CipherDependencies): Ciphers {
  const { read } = on.store
  return {
    encrypt: (context, items, commit) =>
      asItIsNow(read, context.stored, (stored) => encrypt(on, { ...context, stored }, items, commit)),
    decrypt: (by, stored, items) => asItIsNow(read, stored, (current) => decrypt(on, by, current, items)),
    rewrap: (by, stored, items) => asItIsNow(read, stored, (current) => rewrap(on, by, current, items)),
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

/** What the token rejects while it decrypts is a bad ciphertext. */
const notOfThisKey = (): Fault => new Fault('ciphertext.invalid')

async function encrypt(on: CipherDependencies, context: EncryptContext, items: Batch<PlainItem>, commit: Commit) {
  const { vault, stored, ifAbsent } = context
  const failed = allFailed(items)
  if (failed) return { key: stored?.key, results: failed }
  if (stored) return encryptWith(on, vault, existing(stored), items)
  try {
    return await encryptWithNew(on, context, items, commit)
  } catch (error) {
    // Another call made the key in the meantime: its key is as good.
    const { vaultId, name } = ifAbsent()
    const theirs = isFault(error, 'store.conflict') ? await findKey(on.store.read, vaultId, name) : undefined
    if (theirs === undefined) throw error
    return asItIsNow(on.store.read, theirs, (current) => encryptWith(on, vault, existing(current), items))
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

/** The key and its first use are committed together. */
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
  // Items that cannot be encrypted are no use, and make no key.
  const failed = allFailed(fitting)
  if (failed) return { key: undefined, results: failed }
  const spent = readyIn(items).length
  const { stored, result } = await on.keyring.createAnd(vault, made, spent, commit, ({ key, latest }) => {
    const prepared = mapEach(fitting, (item) => ({ ...item, to: latest }))
    return encryptAll(on, vault, key, prepared)
  })
  return { key: stored.key, results: result }
}

async function encryptAll(
  { hsm, places }: CipherDependencies,
  by: Granted,
  key: TransparentKey,
  items: Batch<Prepared>,
) {
  const referenceTo = await places.referencesOf(key, await by.grant())
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
  const referenceTo = await on.places.referencesOf(key, await by.grant())
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
  const referenceTo = await on.places.referencesOf(key, await by.grant())
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
 * The versions to encrypt with, the encryptions already counted: those of items that turn out to be bad as well.
 * Where a version is nearly used up, all items of a call fit or none.
 */
function writable(on: CipherDependencies, by: Granted, stored: StoredKey, asked: readonly (number | undefined)[]) {
  const { key } = stored
  cipherOf(keyTypeOf(key.type))
  return perVersion(asked, async (version, count) => {
    const wanted = version ?? key.latestVersion
    const found = await on.versions.find(on.store.read, stored, wanted, writableFrom(key), 'encrypts')
    await on.invocations.spend(by, key, found.version, count)
    return found
  })
}

/** Reads ciphertexts of a key, and finds the version that made each. */
async function opener(
  { store, versions }: CipherDependencies,
  stored: StoredKey,
  items: Batch<CipherItem>,
): Promise<(item: CipherItem) => Opened> {
  const { key } = stored
  const type = keyTypeOf(key.type)
  const cipher = cipherOf(type)
  const asked = readyIn(items).map(({ ciphertext }) => ciphertext.version)
  const source = await perVersion(asked, (version) =>
    versions.find(store.read, stored, version, key.minDecryptionVersion, 'decrypts'),
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

/** An item that a key which does not exist yet can encrypt. */
function checkFirst(type: KeyType, item: PlainItem): PlainItem {
  if (item.version !== undefined && item.version !== 1)
    throw new Fault('key.version_unknown', 'There is no such key yet: its first version will be 1.')
  checkAad(type, item.aad)
  return item
}
