import { Fault, faultCodes } from '../../fault.ts'
import type { KeyReference, Outcome } from '../hsm.ts'
import { numberField, referenceFields } from './fields.ts'

/**
 * Many items of one operation in one frame. The request contains each key reference once, then for every item the
 * indexes of its references, then its own fields. The reply contains a byte for each outcome, then a field for each.
 */
export interface BatchItem {
  readonly references: readonly KeyReference[]
  readonly fields: readonly Uint8Array[]
}

/**
 * Most keys and items in one frame: a token host answers no other frame meanwhile. It unwraps each key that it does not
 * hold, and verifies its seals, which takes about 0.2 ms. An item that the token refuses takes about as long, in
 * SoftHSM2 six times as long as a good one.
 */
export const mostInFrame = { keys: 64, items: 128 } as const

export const indexBytes = 4

/** The fields of a batch. References are compared as objects: equal bytes in two objects are sent twice. */
export function batchFields(items: readonly BatchItem[]): Uint8Array[] {
  const known = new Map<KeyReference, number>()
  const table: Uint8Array[] = []
  const fields: Uint8Array[] = []
  const width = items[0]?.references.length ?? 1
  const indexes = Buffer.allocUnsafe(items.length * width * indexBytes)
  let offset = 0
  for (const item of items) {
    for (const reference of item.references) {
      let index = known.get(reference)
      if (index === undefined) {
        index = known.size
        known.set(reference, index)
        table.push(...referenceFields(reference))
      }
      offset = indexes.writeUInt32LE(index, offset)
    }
    fields.push(...item.fields)
  }
  return [numberField(known.size), ...table, indexes, ...fields]
}

/** Reads the indexes of all items in turn, as `batchFields` wrote them. */
export function readIndexes(indexes: Buffer): number[] {
  return Array.from({ length: Math.floor(indexes.length / indexBytes) }, (_, at) =>
    indexes.readUInt32LE(at * indexBytes),
  )
}

export function outcomeFields(outcomes: readonly Outcome[]): Uint8Array[] {
  const kinds = Buffer.allocUnsafe(outcomes.length)
  const fields: Uint8Array[] = [kinds]
  for (const [at, outcome] of outcomes.entries()) {
    const isFault = 'fault' in outcome
    kinds[at] = isFault ? 1 : 0
    fields.push(isFault ? Buffer.from(`${outcome.fault.code} ${outcome.fault.detail ?? ''}`) : outcome.result)
  }
  return fields
}

/**
 * Reads the outcomes in a reply.
 * @throws Fault `hsm.unavailable` unless the reply has `count` outcomes
 */
export function readOutcomes(reply: readonly Buffer[], count: number): Outcome[] {
  const kinds = reply[0]
  if (kinds?.length !== count || reply.length !== count + 1)
    throw new Fault('hsm.unavailable', 'The token host answered for another number of items: it is of another version.')
  return reply.slice(1).map((field, at) => (kinds[at] === 0 ? { result: field } : { fault: readFault(field) }))
}

function readFault(field: Buffer): Fault {
  const text = field.toString()
  const end = text.indexOf(' ')
  const code = faultCodes.find((candidate) => candidate === text.slice(0, end))
  return new Fault(code ?? 'internal', text.slice(end + 1) || undefined)
}
