import type { KeyUse } from '../../access/decision.ts'
import { Fault } from '../../fault.ts'
import { replaceResults, required, resultsOf } from '../batch-outcomes.ts'
import type { KeyReference, Outcome } from '../hsm.ts'
import { decryptWith, encryptWith } from './cipher-calls.ts'
import type { Connection } from './connection.ts'
import { TokenFailure } from './failure.ts'
import type { SecretKeyRow } from './key-kinds.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import { random } from './seal-operations.ts'
import type { Token } from './token-link.ts'

/** IV ‖ ciphertext ‖ tag, in sizes of the key's cipher. */
export function encrypt(token: Token, key: KeyReference, plaintext: Buffer, aad: Buffer): Buffer {
  return token.run(({ session, keys }) =>
    keys.use(key, 'write', 'encrypt', (handle, row) => encryptWith(session, handle, row, plaintext, aad)),
  )
}

/** Like `encrypt`, of random bytes of the token, which are zeroed. */
export function encryptRandom(token: Token, key: KeyReference, count: number, aad: Buffer): Buffer {
  const plaintext = random(token, count)
  try {
    return encrypt(token, key, plaintext, aad)
  } finally {
    plaintext.fill(0)
  }
}

export function decrypt(token: Token, key: KeyReference, ciphertext: Buffer, aad: Buffer): Buffer {
  return token.run(({ session, keys }) =>
    keys.use(key, 'read', 'encrypt', (handle, row) => decryptWith(session, handle, row, ciphertext, aad)),
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
  return runBatch(token, items, 'write', (session, handle, row, { data, aad }) =>
    encryptWith(session, handle, row, data, aad),
  )
}

export function decryptMany(token: Token, items: readonly CipherItem[]): Outcome[] {
  return runBatch(token, items, 'read', (session, handle, row, { data, aad }) =>
    decryptWith(session, handle, row, data, aad),
  )
}

/** The plaintexts are zeroed here and go nowhere. */
export function rewrapMany(token: Token, items: readonly RewrapCipherItem[]): Outcome[] {
  const opened = runBatch(token, items, 'read', (session, handle, row, { data, aad, to, newAad }) => ({
    key: to,
    data: decryptWith(session, handle, row, data, aad),
    aad: newAad,
  }))
  try {
    return replaceResults(opened, encryptMany(token, resultsOf(opened)))
  } finally {
    for (const { data } of resultsOf(opened)) data.fill(0)
  }
}

/**
 * One outcome for each item, in their order. Key by key, so that a key is looked up once however many items it has. A
 * fault that concerns one item becomes its outcome; a failure of the token goes to `token.run`, after which the batch
 * goes on where it stopped, or is thrown.
 */
function runBatch<I extends CipherItem, T>(
  token: Token,
  items: readonly I[],
  use: KeyUse,
  work: (session: Pkcs11Session, handle: KeyHandle, row: SecretKeyRow, item: I) => T,
): Outcome<T>[] {
  const outcomes = new Map<I, Outcome<T>>()
  for (const [key, ofKey] of byKey(items)) {
    const remaining = () => ofKey.filter((item) => !outcomes.has(item))
    try {
      token.run((connection) =>
        connection.keys.use(key, use, 'encrypt', (handle, row) => {
          for (const item of remaining())
            outcomes.set(
              item,
              outcomeOf(connection, () => work(connection.session, handle, row, item)),
            )
        }),
      )
    } catch (error) {
      const fault = itemFault(error)
      for (const item of remaining()) outcomes.set(item, { fault })
    }
  }
  return items.map((item) => required(outcomes.get(item)))
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
