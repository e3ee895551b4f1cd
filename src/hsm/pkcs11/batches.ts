import { Fault } from '../../fault.ts'
import type { KeyReference, Outcome } from '../hsm.ts'
import { decryptWith, encryptWith } from './cipher-calls.ts'
import { TokenFailure } from './failure.ts'
import type { Token } from './token.ts'

/** An item of `encryptMany` or `decryptMany`. */
export interface CipherItem {
  readonly key: KeyReference
  readonly data: Buffer
  readonly aad: Buffer
}

export interface RewrapItem extends CipherItem {
  readonly to: KeyReference
  readonly newAad: Buffer
}

export function encryptMany(token: Token, items: readonly CipherItem[]): Outcome[] {
  return many(token, items, encryptWith)
}

export function decryptMany(token: Token, items: readonly CipherItem[]): Outcome[] {
  return many(token, items, decryptWith)
}

/** The plaintexts are zeroed here and go nowhere. */
export function rewrapMany(token: Token, items: readonly RewrapItem[]): Outcome[] {
  const opened = decryptMany(token, items)
  try {
    const good = items.flatMap(({ to, newAad }, at) => {
      const outcome = opened[at]
      return outcome !== undefined && 'result' in outcome ? [{ key: to, data: outcome.result, aad: newAad }] : []
    })
    const sealed = encryptMany(token, good).values()
    return opened.map((outcome) => ('fault' in outcome ? outcome : (sealed.next().value ?? outcome)))
  } finally {
    for (const outcome of opened) if ('result' in outcome) outcome.result.fill(0)
  }
}

/**
 * Key by key, so that a key is looked up once however many items it has. What ails one item becomes its outcome; what ails the token is
 * mended by `token.run`, which goes on where it stopped, or thrown.
 */
function many(token: Token, items: readonly CipherItem[], work: typeof encryptWith): Outcome[] {
  const outcomes: (Outcome | undefined)[] = Array.from({ length: items.length })
  const byKey = new Map<KeyReference, number[]>()
  for (const [at, { key }] of items.entries()) {
    const places = byKey.get(key)
    if (places === undefined) byKey.set(key, [at])
    else places.push(at)
  }
  for (const [key, places] of byKey) {
    try {
      runPlaces(token, key, places, items, outcomes, work)
    } catch (error) {
      const fault = itemFault(error)
      for (const at of places) outcomes[at] ??= { fault }
    }
  }
  return outcomes.map((outcome) => outcome ?? { fault: new Fault('internal') })
}

function runPlaces(
  token: Token,
  key: KeyReference,
  places: readonly number[],
  items: readonly CipherItem[],
  outcomes: (Outcome | undefined)[],
  work: typeof encryptWith,
): void {
  token.run((connection) =>
    connection.keys.use(key, 'encrypt', (handle, row) => {
      for (const at of places) {
        const item = items[at]
        if (item === undefined || outcomes[at] !== undefined) continue
        try {
          outcomes[at] = { result: work(connection.session, handle, row, item.data, item.aad) }
        } catch (error) {
          outcomes[at] = { fault: itemFault(error) }
          if (error instanceof TokenFailure) connection.replaceSession()
        }
      }
    }),
  )
}

/** The fault of an item; throws what concerns more than that. */
function itemFault(error: unknown): Fault {
  if (error instanceof TokenFailure && error.remedy === 'data') return badData(error)
  if (error instanceof Fault && error.code !== 'hsm.unavailable' && error.code !== 'hsm.sealed') return error
  throw error
}

function badData(cause: TokenFailure): Fault {
  return new Fault('hsm.rejected', 'The token found the data bad: altered, or of another key.', { cause })
}
