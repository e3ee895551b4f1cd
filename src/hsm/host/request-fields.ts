import { Fault } from '../../fault.ts'
import { readIndexes } from '../protocol/batch-frame.ts'
import type { CipherItem, RewrapCipherItem } from '../pkcs11/cipher-operations.ts'
import type { GenerateOptions, ImportOptions, KeyReference, SealedRecord, WrappedKey } from '../hsm.ts'

/**
 * Takes the fields of a request one after another. Throws `hsm.rejected` when one is missing or not what it should be.
 */
export interface RequestFields {
  bytes(): Buffer
  text(): string
  integer(): number
  flag(): boolean
  oneOf<T extends string>(values: readonly T[]): T
  sealed(): SealedRecord
  reference(): KeyReference
  wrapped(): WrappedKey
  generateOptions(): GenerateOptions
  importOptions(): ImportOptions
}

export function createRequestFields(list: readonly Buffer[]): RequestFields {
  let next = 0
  const bytes = () => {
    const field = list[next++]
    if (field === undefined) throw new Fault('hsm.rejected', 'A field of the request is missing.')
    return field
  }
  const text = () => bytes().toString()
  const flag = () => text() === '1'
  const sealed = () => ({ record: bytes(), seal: bytes() })
  const generateOptions = () => ({ exportable: flag(), backup: flag() })
  return {
    bytes,
    text,
    integer: () => Number(text()),
    flag,
    oneOf(values) {
      const value = text()
      const found = values.find((candidate) => candidate === value)
      if (found === undefined) throw new Fault('hsm.rejected', `${value} is none of ${values.join(', ')}.`)
      return found
    },
    sealed,
    reference() {
      const key = sealed()
      const policy = sealed()
      // Not by the seal: an empty one in the database would be taken for none, and the limits go unchecked.
      return policy.record.length === 0 ? { key } : { key, policy }
    },
    wrapped: () => ({ kek: text(), blob: bytes() }),
    generateOptions,
    importOptions() {
      const options = generateOptions()
      const publicKey = bytes()
      return publicKey.length === 0 ? options : { ...options, publicKey }
    },
  }
}

/** More than that would hold a host up for too long. */
const mostItems = 10_000

/** What `batchFields` wrote for `encryptMany` and `decryptMany`. Throws `hsm.rejected` for anything else. */
export function readCipherItems(fields: RequestFields): CipherItem[] {
  const { references, indexes } = readTable(fields)
  return indexes.map((index) => ({ key: at(references, index), data: fields.bytes(), aad: fields.bytes() }))
}

export function readRewrapItems(fields: RequestFields): RewrapCipherItem[] {
  const { references, indexes } = readTable(fields)
  return Array.from({ length: indexes.length / 2 }, (_, item) => ({
    key: at(references, indexes[2 * item] ?? -1),
    to: at(references, indexes[2 * item + 1] ?? -1),
    data: fields.bytes(),
    aad: fields.bytes(),
    newAad: fields.bytes(),
  }))
}

function readTable(fields: RequestFields): { references: KeyReference[]; indexes: number[] } {
  const count = fields.integer()
  if (!Number.isInteger(count) || count < 0 || count > 2 * mostItems) throw refuse()
  const references = Array.from({ length: count }, () => fields.reference())
  const indexes = readIndexes(fields.bytes())
  if (indexes.length > 2 * mostItems) throw refuse()
  return { references, indexes }
}

function at(references: readonly KeyReference[], index: number): KeyReference {
  const found = references[index]
  if (found === undefined) throw refuse()
  return found
}

function refuse(): Fault {
  return new Fault('hsm.rejected', `A batch has at most ${mostItems} items, each with its key.`)
}
