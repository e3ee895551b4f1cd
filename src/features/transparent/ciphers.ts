import type { VaultAccess } from '../../access/caller.ts'
import { includes } from '../../access/permission.ts'
import { Fault, isFault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Commit, Store } from '../../store/store.ts'
import { asCiphertextFault, inOrder, isResult, outcomesOf } from './cipher-outcomes.ts'
import { checkLength, type Ciphertext } from './ciphertext.ts'
import type { Invocations } from './invocations.ts'
import { checkAad, cipherOf, keyTypeOf, type KeyType } from './key-type.ts'
import { existing, perVersion, writableFrom, type KeyVersions } from './key-versions.ts'
import type { Keyring } from './keyring.ts'
import type { NewKey } from './new-key.ts'
import { each, eachNow, valueOf, type Result } from './results.ts'
import { findKey, type KeyVersion, type StoredKey, type TransparentKey } from './records.ts'
import { referencesOf } from './sealing.ts'

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

export interface RewrapRequest extends CipherItem {
  /** The latest when undefined. */
  readonly toVersion: number | undefined
}

export interface Encrypted {
  readonly version: number
  /** IV ‖ ciphertext ‖ tag, as the type has them. */
  readonly sealedText: Buffer
}

/** What a call to encrypt needs beside its items: what to create when there is no such key. */
export interface EncryptContext {
  readonly vault: VaultAccess
  readonly stored: StoredKey | undefined
  readonly ifAbsent: NewKey
}

/**
 * The use of keys that encrypt. Results stand in the order of the items; what concerns the whole call is thrown:
 * `key.not_found`, `key.wrong_type`, `key.tampered`, `access.permission`, `hsm.*`, `store.*`.
 */
export interface Ciphers {
  /** Makes the key first where it is missing, the caller may write and an item can be encrypted. Items: `key.version_unknown`, `key.version_disabled`, `key.exhausted`, `request.invalid`. */
  encrypt(
    context: EncryptContext,
    items: readonly PlainItem[],
    commit: Commit,
  ): Promise<{ key: TransparentKey | undefined; results: readonly Result<Encrypted>[] }>
  /** Items: `ciphertext.malformed`, `ciphertext.invalid`, `key.version_unknown`, `key.version_disabled`. */
  decrypt(
    stored: StoredKey | undefined,
    items: readonly CipherItem[],
  ): Promise<{ key: TransparentKey; results: readonly Result<Buffer>[] }>
  /** Encrypts anew under another version; the plaintext never leaves the token host. Items as for both. */
  rewrap(
    stored: StoredKey | undefined,
    items: readonly RewrapRequest[],
  ): Promise<{ key: TransparentKey; results: readonly Result<Encrypted>[] }>
}

export interface CipherDependencies {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'encrypt' | 'decrypt' | 'rewrap' | 'encryptMany' | 'decryptMany' | 'rewrapMany'>
  readonly keyring: Keyring
  readonly versions: KeyVersions
  readonly invocations: Invocations
  /** Whether a vault lets a first use make the key. */
  readonly createsOnUse: (vaultId: number) => Promise<boolean>
}

export function createCiphers(dependencies: CipherDependencies): Ciphers {
  return new TokenCiphers(dependencies)
}

class TokenCiphers implements Ciphers {
  readonly #in: CipherDependencies

  constructor(dependencies: CipherDependencies) {
    this.#in = dependencies
  }

  async encrypt(context: EncryptContext, items: readonly PlainItem[], commit: Commit) {
    if (context.stored) return this.#encryptWith(existing(context.stored), items)
    try {
      return await this.#encryptWithNew(context, items, commit)
    } catch (error) {
      // Somebody else made the key in the meantime: theirs is as good.
      const { vaultId, name } = context.ifAbsent
      const theirs = isFault(error, 'store.conflict') ? await findKey(this.#in.store.read, vaultId, name) : undefined
      if (theirs === undefined) throw error
      return this.#encryptWith(existing(theirs), items)
    }
  }

  async decrypt(stored: StoredKey | undefined, items: readonly CipherItem[]) {
    const found = existing(stored)
    const { key } = found
    const opened = await this.#open(found, items)
    const results = await inOrder(opened, (ready) => this.#decryptAll(key, ready))
    return { key, results }
  }

  async rewrap(stored: StoredKey | undefined, items: readonly RewrapRequest[]) {
    const found = await this.#in.keyring.rotateIfDue(existing(stored))
    const { key } = found
    const targets = await this.#writable(
      found,
      items.map(({ toVersion }) => toVersion),
      true,
    )
    const opened = await this.#open(found, items)
    const both = eachNow(opened, (item, at) => ({ ...valueOf(item), to: targets(items[at]?.toVersion) }))
    const referenceTo = referencesOf(key)
    const results = await inOrder(both, async (ready) => {
      const requests = ready.map(({ from, to, sealedText, aad }) => ({
        from: referenceTo(from),
        to: referenceTo(to),
        ciphertext: sealedText,
        aad,
        newAad: aad,
      }))
      const outcomes = await outcomesOf(
        requests,
        (one) => this.#in.hsm.rewrap(one),
        (all) => this.#in.hsm.rewrapMany(all),
      )
      return outcomes.map((outcome, index) =>
        isResult(outcome)
          ? { value: { version: ready[index]?.to.version ?? 0, sealedText: outcome.result } }
          : { fault: asCiphertextFault(outcome.fault) },
      )
    })
    return { key, results }
  }

  async #encryptWithNew({ vault, ifAbsent }: EncryptContext, items: readonly PlainItem[], commit: Commit) {
    await this.#checkMayCreate(vault, ifAbsent)
    cipherOf(ifAbsent.type)
    const refused = (await each(items, (item) => checkFirst(ifAbsent.type, item))).filter((item) => 'fault' in item)
    // Items that cannot be encrypted are no use, and make no key.
    if (refused.length === items.length) return { key: undefined, results: refused }
    const spent = items.length
    const { stored, result } = await this.#in.keyring.createAnd(ifAbsent, spent, commit, async (made) => {
      const prepared = await this.#prepare(made, items, false)
      return inOrder(prepared, (ready) => this.#encryptAll(made.key, ready))
    })
    return { key: stored.key, results: result }
  }

  async #checkMayCreate(vault: VaultAccess, { name }: NewKey): Promise<void> {
    if (!includes(vault.permission, 'Write'))
      throw new Fault(
        'access.permission',
        `There is no key ${name} in this vault, and making it needs Write; you have ${vault.permission}.`,
      )
    if (!(await this.#in.createsOnUse(vault.id)))
      throw new Fault(
        'key.not_found',
        `There is no key ${name} in this vault, and the vault does not make keys on first use: create it.`,
      )
  }

  async #encryptWith(stored: StoredKey, items: readonly PlainItem[]) {
    const found = items.some(({ version }) => version === undefined)
      ? await this.#in.keyring.rotateIfDue(stored)
      : stored
    const prepared = await this.#prepare(found, items, true)
    const results = await inOrder(prepared, (ready) => this.#encryptAll(found.key, ready))
    return { key: found.key, results }
  }

  async #prepare(stored: StoredKey, items: readonly PlainItem[], spend: boolean): Promise<Result<Prepared>[]> {
    const type = keyTypeOf(stored.key.type)
    const versions = items.map(({ version }) => version)
    const target = await this.#writable(stored, versions, spend)
    return eachNow(items, ({ version, plaintext, aad }) => {
      checkAad(type, aad)
      return { to: target(version), plaintext, aad }
    })
  }

  /**
   * The versions to encrypt with, the encryptions already counted: those of items that turn out to be bad as well. Where a version is
   * nearly used up, all items of a call fit or none.
   */
  #writable({ key, latest }: StoredKey, versions: readonly (number | undefined)[], spend: boolean) {
    cipherOf(keyTypeOf(key.type))
    return perVersion(versions, async (version, count) => {
      const asked = version ?? key.latestVersion
      const found = await this.#in.versions.find({ key, latest }, asked, writableFrom(key), 'encrypts')
      if (spend) await this.#in.invocations.spend(key, found.version, count)
      return found
    })
  }

  async #open(stored: StoredKey, items: readonly CipherItem[]): Promise<Result<Opened>[]> {
    const { key } = stored
    const type = keyTypeOf(key.type)
    const cipher = cipherOf(type)
    const source = await perVersion(
      items.map(({ ciphertext }) => ciphertext.version),
      (version) => this.#in.versions.find(stored, version, key.minDecryptionVersion, 'decrypts'),
    )
    return eachNow(items, ({ ciphertext, aad }) => {
      checkAad(type, aad)
      const from = source(ciphertext.version)
      checkLength(ciphertext, cipher)
      return { from, sealedText: ciphertext.sealedText, aad }
    })
  }

  async #encryptAll(key: TransparentKey, items: readonly Prepared[]): Promise<Result<Encrypted>[]> {
    const referenceTo = referencesOf(key)
    const requests = items.map(({ to, plaintext, aad }) => {
      return { key: referenceTo(to), plaintext, aad }
    })
    const { hsm } = this.#in
    const outcomes = await outcomesOf(
      requests,
      (one) => hsm.encrypt(one.key, one.plaintext, one.aad),
      (all) => hsm.encryptMany(all),
    )
    return outcomes.map((outcome, index) =>
      isResult(outcome) ? { value: { version: items[index]?.to.version ?? 0, sealedText: outcome.result } } : outcome,
    )
  }

  async #decryptAll(key: TransparentKey, items: readonly Opened[]): Promise<Result<Buffer>[]> {
    const referenceTo = referencesOf(key)
    const requests = items.map(({ from, sealedText, aad }) => {
      return { key: referenceTo(from), ciphertext: sealedText, aad }
    })
    const { hsm } = this.#in
    const outcomes = await outcomesOf(
      requests,
      (one) => hsm.decrypt(one.key, one.ciphertext, one.aad),
      (all) => hsm.decryptMany(all),
    )
    return outcomes.map((outcome) =>
      isResult(outcome) ? { value: outcome.result } : { fault: asCiphertextFault(outcome.fault) },
    )
  }
}

interface Prepared {
  readonly to: KeyVersion
  readonly plaintext: Buffer
  readonly aad: Buffer | undefined
}

interface Opened {
  readonly from: KeyVersion
  readonly sealedText: Buffer
  readonly aad: Buffer | undefined
}

/** Whether a key that does not exist yet can encrypt this. */
function checkFirst(type: KeyType, { version, aad }: PlainItem): Promise<void> {
  if (version !== undefined && version !== 1)
    throw new Fault('key.version_unknown', 'There is no such key yet: its first version will be 1.')
  checkAad(type, aad)
  return Promise.resolve()
}
