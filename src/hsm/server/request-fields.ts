import { Fault } from '../../fault.ts'
import type { KeyReference, SealedRecord } from '../hsm.ts'
import type { GenerateOptions, OuterWrapping } from '../made-key.ts'
import { versionPurpose } from '../provenance.ts'

/** Reads the fields of a request one after another. Methods throw `hsm.rejected` when a field is missing or invalid. */
export interface RequestFields {
  bytes(): Buffer
  /** Undefined for an empty field. */
  optionalBytes(): Buffer | undefined
  text(): string
  integer(): number
  flag(): boolean
  oneOf<T extends string>(values: readonly T[]): T
  /** Reads the items of a list (`listFields`), of which `read` reads one. There are no more than `most`. */
  list<Item>(read: () => Item, most?: number): Item[]
  sealed(): SealedRecord
  /** Undefined for an empty record. */
  optionalSealed(): SealedRecord | undefined
  reference(): KeyReference
  purpose(): Purpose
  generateOptions(): GenerateOptions & Purpose
}

/** The purpose of a new key. For a key in a vault the host derives it from the key's identity. */
export interface Purpose {
  readonly purpose: Buffer
  readonly outerWrapping?: OuterWrapping
}

/**
 * More than the heads of the audit chains of 256 processes take, in bytes. Without a bound, 70 MB of JSON that a worker
 * sends as a text took all memory of its reader, and ended it.
 */
const longestText = 128 * 1024
/**
 * More than any request has. Each sealed record in a list takes an HMAC of the token (80 µs), during which the process
 * answers nobody else: supervisors end a process that does not answer for long.
 */
const mostInList = 20_000

export function createRequestFields(list: readonly Buffer[]): RequestFields {
  let next = 0
  const bytes = () => {
    const field = list[next++]
    if (field === undefined) throw new Fault('hsm.rejected', 'A field of the request is missing.')
    return field
  }
  const optionalBytes = () => {
    const field = bytes()
    return field.length === 0 ? undefined : field
  }
  const text = () => {
    const field = bytes()
    if (field.length > longestText) throw new Fault('hsm.rejected', 'A text in the request is longer than any.')
    return field.toString()
  }
  const integer = () => Number(text())
  const flag = () => text() === '1'
  const sealed = () => ({ record: bytes(), seal: bytes() })
  // Decided by the record, not by the seal: an empty seal in the database would otherwise count as no record, and its
  // limits would not be checked.
  const optionalSealed = () => {
    const found = sealed()
    return found.record.length === 0 ? undefined : found
  }
  const purpose = (): Purpose => {
    const given = bytes()
    const [identity, vault, vaultKey] = [bytes(), bytes(), optionalSealed()]
    if (vaultKey === undefined) return { purpose: given }
    const outerWrapping = { identity, vault, vaultKey }
    return { purpose: versionPurpose(outerWrapping), outerWrapping }
  }
  const generateOptions = () => ({ exportable: flag(), backup: flag(), ...purpose() })
  return {
    bytes,
    optionalBytes,
    text,
    integer,
    flag,
    oneOf(values) {
      const value = text()
      const found = values.find((candidate) => candidate === value)
      if (found === undefined) throw new Fault('hsm.rejected', `${value} is none of ${values.join(', ')}.`)
      return found
    },
    list(read, most = mostInList) {
      const count = integer()
      if (!Number.isInteger(count) || count < 0 || count > most)
        throw new Fault('hsm.rejected', `This list in a request has at most ${most} items.`)
      return Array.from({ length: count }, () => read())
    },
    sealed,
    optionalSealed,
    reference() {
      const key = sealed()
      const [policy, grant, vaultKey] = [optionalSealed(), optionalSealed(), optionalSealed()]
      return { key, ...(policy ? { policy } : {}), ...(grant ? { grant } : {}), ...(vaultKey ? { vaultKey } : {}) }
    },
    purpose,
    generateOptions,
  }
}
