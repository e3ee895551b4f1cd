import { Fault } from '../../fault.ts'
import { readPlaces } from '../protocol/batch-frame.ts'
import type { KeyReference } from '../hsm.ts'
import type { CipherItem, RewrapItem } from '../pkcs11/batches.ts'
import type { Fields } from './fields.ts'

/** More than that would hold a host up for too long. */
const mostItems = 10_000

/** What `batchFields` wrote for `encryptMany` and `decryptMany`. Throws `hsm.rejected` for anything else. */
export function readCipherItems(fields: Fields): CipherItem[] {
  const { references, places } = readTable(fields)
  return places.map((place) => ({ key: at(references, place), data: fields.bytes(), aad: fields.bytes() }))
}

export function readRewrapItems(fields: Fields): RewrapItem[] {
  const { references, places } = readTable(fields)
  return Array.from({ length: places.length / 2 }, (_, item) => ({
    key: at(references, places[2 * item] ?? -1),
    to: at(references, places[2 * item + 1] ?? -1),
    data: fields.bytes(),
    aad: fields.bytes(),
    newAad: fields.bytes(),
  }))
}

function readTable(fields: Fields): { references: KeyReference[]; places: number[] } {
  const count = fields.integer()
  if (!Number.isInteger(count) || count < 0 || count > 2 * mostItems) throw refuse()
  const references = Array.from({ length: count }, () => fields.reference())
  const places = readPlaces(fields.bytes())
  if (places.length > 2 * mostItems) throw refuse()
  return { references, places }
}

function at(references: readonly KeyReference[], place: number): KeyReference {
  const found = references[place]
  if (found === undefined) throw refuse()
  return found
}

function refuse(): Fault {
  return new Fault('hsm.rejected', `A batch has at most ${mostItems} items, each with its key.`)
}
