import { Fault } from '../../fault.ts'
import type { WrappedKey } from '../made-key.ts'
import type { SealedRecord } from '../sealed-record.ts'

export function wrapped(reply: readonly Buffer[], at: number): WrappedKey {
  return { kek: field(reply, at).toString(), blob: field(reply, at + 1) }
}

/** A field of a reply; undefined for an empty one, which stands for no value. */
export function given(reply: readonly Buffer[], at: number): Buffer | undefined {
  const found = field(reply, at)
  return found.length === 0 ? undefined : found
}

export function field(reply: readonly Buffer[], at: number): Buffer {
  const found = reply[at]
  if (found === undefined)
    throw new Fault(
      'hsm.unavailable',
      'The other process answered with too few fields: restart keeper and token hosts after an upgrade.',
    )
  return found
}

export const numberIn = (reply: readonly Buffer[], at: number): number => Number(field(reply, at).toString())

export const sealedIn = (reply: readonly Buffer[], at = 0): SealedRecord => ({
  record: field(reply, at),
  seal: field(reply, at + 1),
})
