import { Fault } from '../../fault.ts'
import type { WrappedKey } from '../made-key.ts'

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
  if (found === undefined) throw tooFew()
  return found
}

export const tooFew = (): Fault =>
  new Fault(
    'hsm.unavailable',
    'The other process answered with too few fields: restart keeper and token hosts after an upgrade.',
  )
