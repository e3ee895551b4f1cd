import { Fault } from '../../fault.ts'
import type { KeyReference } from '../hsm.ts'
import type { CipherItem, RewrapCipherItem } from '../pkcs11/cipher-operations.ts'
import { indexBytes, mostInFrame, readIndexes } from '../protocol/batch-frame.ts'
import type { RequestFields } from '../server/request-fields.ts'

/**
 * Reads the items that `batchFields` wrote for `encryptMany` and `decryptMany`.
 * @throws Fault `hsm.rejected` for anything else
 */
export function readCipherItems(fields: RequestFields): CipherItem[] {
  const { references, indexes } = readTable(fields, 1)
  return indexes.map((index) => ({ key: at(references, index), data: fields.bytes(), aad: fields.bytes() }))
}

export function readRewrapItems(fields: RequestFields): RewrapCipherItem[] {
  const { references, indexes } = readTable(fields, 2)
  return Array.from({ length: indexes.length / 2 }, (_, item) => ({
    key: at(references, indexes[2 * item] ?? -1),
    to: at(references, indexes[2 * item + 1] ?? -1),
    data: fields.bytes(),
    aad: fields.bytes(),
    newAad: fields.bytes(),
  }))
}

/** `width`: how many keys each item names. */
function readTable(fields: RequestFields, width: number): { references: KeyReference[]; indexes: number[] } {
  const count = fields.integer()
  if (!Number.isInteger(count) || count < 0 || count > mostInFrame.keys) throw refuse()
  const references = Array.from({ length: count }, () => fields.reference())
  const bytes = fields.bytes()
  if (bytes.length > mostInFrame.items * width * indexBytes) throw refuse()
  return { references, indexes: readIndexes(bytes) }
}

function at(references: readonly KeyReference[], index: number): KeyReference {
  const found = references[index]
  if (found === undefined) throw refuse()
  return found
}

function refuse(): Fault {
  return new Fault(
    'hsm.rejected',
    `A batch has at most ${mostInFrame.items} items and ${mostInFrame.keys} keys, and each item its key.`,
  )
}
