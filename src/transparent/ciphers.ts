import type { VaultAccess } from '../access/caller.ts'
import { includes } from '../access/permission.ts'
import { Fault, isFault } from '../fault.ts'
import type { Hsm, Outcome } from '../hsm/hsm.ts'
import type { Commit, Store } from '../store/store.ts'
import { checkLength, type Ciphertext } from './ciphertext.ts'
import type { Invocations } from './invocations.ts'
import { checkAad, cipherOf, keyTypeOf, type KeyType } from './key-type.ts'
import { existing, writableFrom, type KeyVersions } from './key-versions.ts'
import type { Keyring } from './keyring.ts'
import type { NewKey } from './new-key.ts'
import { each, takeNext, type Result } from './results.ts'
import { findKey, type KeyVersion, type StoredKey, type TransparentKey } from './records.ts'
import { keyReference, trusting } from './sealing.ts'

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
      const theirs = isFault(error, 'store.conflict') ? await findKey(this.#in.store, vaultId, name) : undefined
      if (theirs === undefined) throw error
      return this.#encryptWith(existing(theirs), items)
    }
  }

  async decrypt(stored: StoredKey | undefined, items: readonly CipherItem[]) {
    const found = existing(stored)
    const { key } = found
    const opened = await each(items, (item) => this.#open(found, item))
    const results = await this.#run(opened, (ready) => this.#decryptAll(key, ready))
    return { key, results }
  }

  async rewrap(stored: StoredKey | undefined, items: readonly RewrapRequest[]) {
    const found = await this.#in.keyring.rotateIfDue(existing(stored))
    const { key } = found
    const opened = await each(items, async (item) => ({
      ...(await this.#open(found, item)),
      to: await this.#writable(found, item.toVersion, 1),
    }))
    const results = await this.#run(opened, async (ready) => {
      const requests = ready.map(({ from, to, sealedText, aad }) => ({
        from: keyReference(key, from),
        to: keyReference(key, to),
        sealedText,
        aad,
        newAad: aad,
      }))
      const outcomes = await this.#many(
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
      const prepared = await each(items, (item) => this.#prepare(made, item, false))
      return this.#run(prepared, (ready) => this.#encryptAll(made.key, ready))
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
    const prepared = await each(items, (item) => this.#prepare(found, item, true))
    const results = await this.#run(prepared, (ready) => this.#encryptAll(found.key, ready))
    return { key: found.key, results }
  }

  async #prepare(stored: StoredKey, item: PlainItem, spend: boolean): Promise<Prepared> {
    checkAad(keyTypeOf(stored.key.type), item.aad)
    return { to: await this.#writable(stored, item.version, spend ? 1 : 0), plaintext: item.plaintext, aad: item.aad }
  }

  /** The version to encrypt with, its encryption already counted. */
  async #writable(stored: StoredKey, version: number | undefined, spend: number): Promise<KeyVersion> {
    const { key } = stored
    cipherOf(keyTypeOf(key.type))
    const found = await this.#in.versions.find(stored, version ?? key.latestVersion, writableFrom(key), 'encrypts')
    if (spend > 0) await this.#in.invocations.spend(key, found.version, spend)
    return found
  }

  async #open(stored: StoredKey, { ciphertext, aad }: CipherItem) {
    const { key } = stored
    const type = keyTypeOf(key.type)
    checkAad(type, aad)
    const from = await this.#in.versions.find(stored, ciphertext.version, key.minDecryptionVersion, 'decrypts')
    checkLength(ciphertext, cipherOf(type))
    return { from, sealedText: ciphertext.sealedText, aad }
  }

  async #encryptAll(key: TransparentKey, items: readonly Prepared[]): Promise<Result<Encrypted>[]> {
    const references = new Map<number, ReturnType<typeof keyReference>>()
    const requests = items.map(({ to, plaintext, aad }) => {
      const reference = references.get(to.version) ?? keyReference(key, to)
      references.set(to.version, reference)
      return { key: reference, plaintext, aad }
    })
    const { hsm } = this.#in
    const outcomes = await this.#many(
      requests,
      (one) => hsm.encrypt(one.key, one.plaintext, one.aad),
      (all) => hsm.encryptMany(all),
    )
    return outcomes.map((outcome, index) =>
      isResult(outcome) ? { value: { version: items[index]?.to.version ?? 0, sealedText: outcome.result } } : outcome,
    )
  }

  async #decryptAll(key: TransparentKey, items: readonly Opened[]): Promise<Result<Buffer>[]> {
    const references = new Map<number, ReturnType<typeof keyReference>>()
    const requests = items.map(({ from, sealedText, aad }) => {
      const reference = references.get(from.version) ?? keyReference(key, from)
      references.set(from.version, reference)
      return { key: reference, sealedText, aad }
    })
    const { hsm } = this.#in
    const outcomes = await this.#many(
      requests,
      (one) => hsm.decrypt(one.key, one.sealedText, one.aad),
      (all) => hsm.decryptMany(all),
    )
    return outcomes.map((outcome) =>
      isResult(outcome) ? { value: outcome.result } : { fault: asCiphertextFault(outcome.fault) },
    )
  }

  /** One item goes on its own, which is cheaper; many go in one frame. */
  async #many<I>(
    items: readonly I[],
    single: (item: I) => Promise<Buffer>,
    many: (items: readonly I[]) => Promise<readonly Outcome[]>,
  ): Promise<readonly Outcome[]> {
    const [only] = items
    if (items.length === 0 || only === undefined) return []
    if (items.length > 1) return trusting(async () => (await many(items)).map(rethrowBrokenSeal))
    try {
      return [{ result: await trusting(() => single(only)) }]
    } catch (error) {
      if (isFault(error, 'hsm.rejected')) return [{ fault: error }]
      throw error
    }
  }

  /** Runs what is ready, and puts the results of all back into their order. */
  async #run<P, T>(
    prepared: readonly Result<P>[],
    work: (ready: readonly P[]) => Promise<readonly Result<T>[]>,
  ): Promise<readonly Result<T>[]> {
    const ready = prepared.flatMap((item) => ('value' in item ? [item.value] : []))
    const done = (await work(ready))[Symbol.iterator]()
    return prepared.map((item) => ('fault' in item ? item : takeNext(done)))
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

const isResult = (outcome: Outcome): outcome is { readonly result: Buffer } => 'result' in outcome

/** A tampered record concerns the key, and so the whole call. */
function rethrowBrokenSeal(outcome: Outcome): Outcome {
  if ('fault' in outcome && outcome.fault.code === 'hsm.seal_broken') throw outcome.fault
  return outcome
}

function asCiphertextFault(fault: Fault): Fault {
  return fault.code === 'hsm.rejected' ? new Fault('ciphertext.invalid') : fault
}

/** Whether a key that does not exist yet can encrypt this. */
function checkFirst(type: KeyType, { version, aad }: PlainItem): Promise<void> {
  if (version !== undefined && version !== 1)
    throw new Fault('key.version_unknown', 'There is no such key yet: its first version will be 1.')
  checkAad(type, aad)
  return Promise.resolve()
}
