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

/** IV ‖ ciphertext ‖ tag, in sizes of the key's cipher. */
export function encrypt(token: Token, key: KeyReference, plaintext: Buffer, aad: Buffer): Buffer {
  return token.run(({ session, keys }) =>
    keys.use(key, 'encrypt', 'encrypt', (handle, row, used) =>
      encryptWith(session, handle, row, plaintext, callersAad(used, aad)),
    ),
  )
}

export interface MadeDataKey {
  readonly ciphertext: Buffer
  /** Only where it was asked for. */
  readonly plaintext: Buffer | undefined
}

/** Random bytes of the token, encrypted; they are zeroed unless they are to be shown. */
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

export function encryptMany(token: Token, items: readonly CipherItem[]): Outcome[] {
  return runBatch(token, items, 'encrypt', ({ session, handle, row }, { data, aad }) =>
    encryptWith(session, handle, row, data, aad),
  )
}

export function decryptMany(token: Token, items: readonly CipherItem[]): Outcome[] {
  return runBatch(token, items, 'decrypt', ({ session, handle, row }, { data, aad }) =>
    decryptWith(session, handle, row, data, aad),
  )
}

/** The plaintexts are zeroed here and go nowhere. */
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
 * Of a narrowed member: under another key, or bound to other data, the text could be decrypted by one who may not decrypt
 * it as it is, and what another key opens would be encrypted by one who may not encrypt.
 */
function checkStaysInPlace(from: BoundKey, to: BoundKey): void {
  if (from.used.checkAad === undefined && to.used.checkAad === undefined) return
  if (isOneKey(from.used.whole, to.used.whole) && from.aad.equals(to.aad)) return
  throw new Fault('access.permission', 'Your grants allow rewrapping only under the same key, with the same aad.')
}

/** What objects hold stays under keys of vaults, and what named keys encrypt under named keys. */
function checkIsOfOneUse(from: UsedRecord, to: UsedRecord): void {
  if (from.whole.type !== to.whole.type)
    throw new Fault('hsm.rejected', 'What a vault holds is not rewrapped under a named key, nor the other way.')
}

const isOneKey = (one: OpenedRecord, other: OpenedRecord): boolean =>
  one.type === 'transparent key version 2' &&
  other.type === 'transparent key version 2' &&
  one.fields.identity.equals(other.fields.identity)

/**
 * One outcome for each item, in their order. Key by key, so that a key is looked up once however many items it has. A
 * fault that concerns one item becomes its outcome; a failure of the token goes to `token.run`, after which the batch
 * goes on where it stopped, or is thrown.
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
 * Additional data as a caller gave them.
 * @throws Fault `hsm.rejected` where the key of a vault is to serve in another name than that of an object,
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

/** The fault of an item; throws what concerns more than that. */
function itemFault(error: unknown): Fault {
  if (error instanceof TokenFailure && error.remedy === 'data')
    return new Fault('hsm.rejected', 'The token found the data bad: altered, or of another key.', { cause: error })
  if (error instanceof Fault && error.code !== 'hsm.unavailable' && error.code !== 'hsm.sealed') return error
  throw error
}
