import { Fault } from '../fault.ts'
import type { KeyKind } from '../hsm/hsm.ts'

/** What a key type means: a row says everything, and the code that uses a key asks the row. */
export interface KeyType {
  readonly name: string
  /** What the token makes for it. */
  readonly kind: KeyKind
  readonly ivBytes: number
  /** 0 for types without authentication. */
  readonly tagBytes: number
  readonly supportsSigning: boolean
  /** How often one version may encrypt (NIST SP 800-38D §8.3: 2^32 with random 96-bit IVs). */
  readonly maxInvocations: number
}

export const defaultKeyType = 'aes128-gcm96'

// A Map, so that a hostile name cannot reach Object.prototype.
const types: ReadonlyMap<string, KeyType> = new Map(
  [
    { name: 'aes128-gcm96', kind: 'aes128-gcm', ivBytes: 12, tagBytes: 16, supportsSigning: false, maxInvocations: 2 ** 32 } as const,
    { name: 'aes256-gcm96', kind: 'aes256-gcm', ivBytes: 12, tagBytes: 16, supportsSigning: false, maxInvocations: 2 ** 32 } as const,
  ].map((type) => [type.name, type]),
)

export function findKeyType(name: string): KeyType | undefined {
  return types.get(name)
}

/** The type of a stored key. @throws Fault `key.tampered` for a name that we never wrote */
export function keyTypeOf(name: string): KeyType {
  const type = types.get(name)
  if (type === undefined) throw new Fault('key.tampered', undefined, { cause: new TypeError(`a stored key has the type ${name}`) })
  return type
}
