import pkcs11, { type Mechanism, type Template } from 'pkcs11js'
import { TokenFailure } from './failure.ts'
import type { KeyRow } from './key-kinds.ts'
import { rsaPss } from './mechanisms.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'

/** Bytes of a CK_MECHANISM_TYPE on the 64-bit machines that this runs on. */
const mechanismBytes = 8

/**
 * Whoever holds the PIN could copy a lasting key, and by the copy outlive its destruction, or use it by another
 * mechanism: an AES-GCM key by ECB gives its GHASH key away.
 */
export function limitsOf(mechanisms: readonly Mechanism[]): Template {
  return [
    { type: pkcs11.CKA_COPYABLE, value: false },
    { type: pkcs11.CKA_ALLOWED_MECHANISMS, value: listed(mechanisms) },
  ]
}

/** Makes a key with these limits, or without them where the token refuses such attributes. */
export function makeLimited<T>(
  mechanisms: readonly Mechanism[],
  make: (limits: Template) => T,
  refused: () => void = () => undefined,
): T {
  try {
    return make(limitsOf(mechanisms))
  } catch (error) {
    if (!(error instanceof TokenFailure) || !refusals.includes(error.code)) throw error
    const made = make([])
    refused()
    return made
  }
}

/** By what a lasting key of this row works. */
export function mechanismsOf(row: KeyRow): readonly Mechanism[] {
  if (row.serves !== 'sign') return [row.mechanism]
  return row.family === 'rsa' ? [row.signing, rsaPss] : [row.signing]
}

/** What keeps this key from being as a new one is, in words; empty for nothing. */
export function missingLimits(session: Pkcs11Session, key: KeyHandle, mechanisms: readonly Mechanism[]): string[] {
  const value = (type: number) => attributeOf(session, key, type)
  const allowed = value(pkcs11.CKA_ALLOWED_MECHANISMS)
  return [
    ...(isFalse(value(pkcs11.CKA_MODIFIABLE)) ? [] : ['can be modified']),
    ...(isFalse(value(pkcs11.CKA_COPYABLE)) ? [] : ['can be copied']),
    ...(allowed !== undefined && isWithin(allowed, mechanisms) ? [] : ['can be used by other mechanisms']),
  ]
}

const refusals: readonly number[] = [
  pkcs11.CKR_ATTRIBUTE_TYPE_INVALID,
  pkcs11.CKR_ATTRIBUTE_VALUE_INVALID,
  pkcs11.CKR_ATTRIBUTE_READ_ONLY,
  pkcs11.CKR_TEMPLATE_INCONSISTENT,
]

function listed(mechanisms: readonly Mechanism[]): Buffer {
  const list = Buffer.alloc(mechanisms.length * mechanismBytes)
  for (const [at, { mechanism }] of mechanisms.entries()) list.writeBigUInt64LE(BigInt(mechanism), at * mechanismBytes)
  return list
}

/** An empty list limits nothing. */
function isWithin(list: Buffer, mechanisms: readonly Mechanism[]): boolean {
  const named = Array.from({ length: list.length / mechanismBytes }, (_, at) =>
    Number(list.readBigUInt64LE(at * mechanismBytes)),
  )
  return named.length > 0 && named.every((one) => mechanisms.some(({ mechanism }) => mechanism === one))
}

/** Undefined where the token does not know the attribute. */
function attributeOf(session: Pkcs11Session, key: KeyHandle, type: number): Buffer | undefined {
  try {
    return session.attributes(key, [type])[0]
  } catch (error) {
    if (error instanceof TokenFailure) return undefined
    throw error
  }
}

const isFalse = (value: Buffer | undefined): boolean => value?.readUInt8() === 0
