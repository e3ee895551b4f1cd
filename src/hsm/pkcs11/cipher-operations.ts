import type { KeyUse } from '../../access/decision.ts'
import { Fault } from '../../fault.ts'
import { replaceResults, required, resultsOf } from '../batch-outcomes.ts'
import type { KeyReference, Outcome } from '../hsm.ts'
import { isObjectAad } from '../object-aad.ts'
import type { OpenedRecord } from '../record-layouts.ts'
import { decryptWith, encryptWith } from './cipher-calls.ts'
import type { Connection } from './connection.ts'
import { TokenFailure } from './failure.ts'
import type { UsedRecord } from './key-handles.ts'
import type { SecretKeyRow } from './key-kinds.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import { random } from './seal-operations.ts'
import type { Token } from './token-link.ts'

/**
 * Encrypts. Returns IV ‖ ciphertext ‖ tag: for GCM 12 and 16 bytes around the ciphertext, for CTR and OFB an IV of 16
 * bytes and no tag.
 */
export function encrypt(token: Token, key: KeyReference, plaintext: Buffer, aad: Buffer): Buffer {
  return token.run(({ session, keys }) =>
    keys.use(key, 'encrypt', 'encrypt', (handle, row, used) =>
      encryptWith(session, handle, row, plaintext, callersAad(used, aad)),
    ),
  )
}

export interface MadeDataKey {
  readonly ciphertext: Buffer
  /** Undefined unless it was requested. */
  readonly plaintext: Buffer | undefined
}

/** Draws `count` random bytes from the token and encrypts them. The plaintext is zeroed unless `open` requests it. */
export function makeDataKey(token: Token, key: KeyReference, count: number, aad: Buffer, open: boolean): MadeDataKey {
  const plaintext = random(token, count)
  try {
    const ciphertext = token.run(({ session, keys }) =>
      keys.use(key, 'datakey', 'encrypt', (handle, row, used) =>
        encryptWith(session, handle, row, plaintext, callersAad(used, aad)),
      ),
    )
    return { ciphertext, plaintext: open ? Buffer.from(plaintext) : undefined }
  } finally {
    plaintext.fill(0)
  }
}

/** Decrypts what `encrypt` returned. @throws Fault `hsm.rejected` where the ciphertext or the additional data were changed */
export function decrypt(token: Token, key: KeyReference, ciphertext: Buffer, aad: Buffer): Buffer {
  return token.run(({ session, keys }) =>
    keys.use(key, 'decrypt', 'encrypt', (handle, row, used) =>
      decryptWith(session, handle, row, ciphertext, callersAad(used, aad)),
    ),
  )
}

/** An item of `encryptMany` or `decryptMany`. */
export interface CipherItem {
  readonly key: KeyReference
  readonly data: Buffer
  readonly aad: Buffer
}

/** An item of `rewrapMany`. */
export interface RewrapCipherItem extends CipherItem {
  readonly to: KeyReference
  readonly newAad: Buffer
}

/** `encrypt` of each item. The outcomes are in the order of the items; a bad item has its own fault. */
export function encryptMany(token: Token, items: readonly CipherItem[]): Outcome[] {
  return runBatch(token, items, 'encrypt', ({ session, handle, row }, { data, aad }) =>
    encryptWith(session, handle, row, data, aad),
  )
}

/** The same of `decrypt`. */
export function decryptMany(token: Token, items: readonly CipherItem[]): Outcome[] {
  return runBatch(token, items, 'decrypt', ({ session, handle, row }, { data, aad }) =>
    decryptWith(session, handle, row, data, aad),
  )
}

/** Decrypts and encrypts again. The plaintexts stay in this process and are zeroed. */
export function rewrapMany(token: Token, items: readonly RewrapCipherItem[]): Outcome[] {
  const opened = runBatch(token, items, 'rewrap-from', (from, { data, aad, to, newAad }) => ({
    key: to,
    data: decryptWith(from.session, from.handle, from.row, data, aad),
    aad: newAad,
    from: { used: from.used, aad },
  }))
  try {
    const made = runBatch(token, resultsOf(opened), 'rewrap-to', ({ session, handle, row, used }, item) => {
      checkIsOfOneUse(item.from.used, used)
      checkStaysInPlace(item.from, { used, aad: item.aad })
      return encryptWith(session, handle, row, item.data, item.aad)
    })
    return replaceResults(opened, made)
  } finally {
    for (const { data } of resultsOf(opened)) data.fill(0)
  }
}

interface BoundKey {
  readonly used: UsedRecord
  readonly aad: Buffer
}

/**
 * Refuses a rewrap under another key or with other aad where grants are narrowed. Otherwise a member could decrypt a
 * text after the rewrap that he may not decrypt before it, or encrypt a text that he may not encrypt.
 */
function checkStaysInPlace(from: BoundKey, to: BoundKey): void {
  if (from.used.checkAad === undefined && to.used.checkAad === undefined) return
  if (isOneKey(from.used.whole, to.used.whole) && from.aad.equals(to.aad)) return
  throw new Fault('access.permission', 'Your grants allow rewrapping only under the same key, with the same aad.')
}

/** Refuses a rewrap between the key of a vault, which encrypts objects, and a named key. */
function checkIsOfOneUse(from: UsedRecord, to: UsedRecord): void {
  if (from.whole.type !== to.whole.type)
    throw new Fault('hsm.rejected', 'What a vault holds is not rewrapped under a named key, nor the other way.')
}

const isOneKey = (one: OpenedRecord, other: OpenedRecord): boolean =>
  one.type === 'transparent key version 2' &&
  other.type === 'transparent key version 2' &&
  one.fields.identity.equals(other.fields.identity)

/**
 * Returns one outcome for each item, in their order. Works key by key, so that each key is looked up once. A fault that
 * concerns one item becomes its outcome. After a failure of the token, `token.run` repairs it and the batch goes on
 * where it stopped, or the fault is thrown.
 */
function runBatch<I extends CipherItem, T>(
  token: Token,
  items: readonly I[],
  use: KeyUse,
  work: (used: UsedKey, item: I) => T,
): Outcome<T>[] {
  const outcomes = new Map<I, Outcome<T>>()
  for (const [key, ofKey] of byKey(items)) {
    const remaining = () => ofKey.filter((item) => !outcomes.has(item))
    try {
      token.run((connection) =>
        connection.keys.use(key, use, 'encrypt', (handle, row, used) => {
          for (const item of remaining()) {
            const once = () => {
              callersAad(used, item.aad)
              return work({ session: connection.session, handle, row, used }, item)
            }
            outcomes.set(item, outcomeOf(connection, once))
          }
        }),
      )
    } catch (error) {
      const fault = itemFault(error)
      for (const item of remaining()) outcomes.set(item, { fault })
    }
  }
  return items.map((item) => required(outcomes.get(item)))
}

interface UsedKey {
  readonly session: Pkcs11Session
  readonly handle: KeyHandle
  readonly row: SecretKeyRow
  readonly used: UsedRecord
}

/**
 * The additional data that the caller gave, after the checks.
 * @throws Fault `hsm.rejected` where data that are not those of an object would be bound to the key of a vault;
 * `access.permission` where the caller's rights are narrowed to other data
 */
function callersAad({ whole, checkAad }: UsedRecord, aad: Buffer): Buffer {
  if (whole.type === 'vault key 2' && !isObjectAad(aad))
    throw new Fault('hsm.rejected', 'The key of a vault encrypts what objects hold, under the name of its place.')
  checkAad?.(aad)
  return aad
}

function byKey<I extends CipherItem>(items: readonly I[]): Map<KeyReference, I[]> {
  const groups = new Map<KeyReference, I[]>()
  for (const item of items) {
    const group = groups.get(item.key)
    if (group === undefined) groups.set(item.key, [item])
    else group.push(item)
  }
  return groups
}

function outcomeOf<T>(connection: Connection, work: () => T): Outcome<T> {
  try {
    return { result: work() }
  } catch (error) {
    const fault = itemFault(error)
    if (error instanceof TokenFailure) connection.replaceSession()
    return { fault }
  }
}

/** The fault of one item. Throws the error again when it concerns more than that item. */
function itemFault(error: unknown): Fault {
  if (error instanceof TokenFailure && error.remedy === 'data')
    return new Fault('hsm.rejected', 'The token found the data bad: altered, or of another key.', { cause: error })
  if (error instanceof Fault && error.code !== 'hsm.unavailable' && error.code !== 'hsm.sealed') return error
  throw error
}
