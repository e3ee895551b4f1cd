import pkcs11, { type Mechanism, type Template } from 'pkcs11js'
import { TokenFailure } from './failure.ts'
import type { KeyRow } from './key-kinds.ts'
import { rsaPss } from './mechanisms.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'

/** Bytes of a CK_MECHANISM_TYPE on the 64-bit machines that Strongroom supports. */
const mechanismBytes = 8

/**
 * Attributes that forbid copies and limit a lasting key to its mechanisms. Without them, anyone with the PIN could copy
 * the key, so that the copy outlives its destruction, or use it by another mechanism: AES-ECB with an AES-GCM key
 * reveals its GHASH key.
 */
export function limitsOf(mechanisms: readonly Mechanism[]): Template {
  return [
    { type: pkcs11.CKA_COPYABLE, value: false },
    { type: pkcs11.CKA_ALLOWED_MECHANISMS, value: listed(mechanisms) },
  ]
}

/**
 * Makes a key with these limits. Where the token refuses such attributes, makes it without them and calls `refused`.
 */
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

/** The mechanisms that a lasting key of this row needs. */
export function mechanismsOf(row: KeyRow): readonly Mechanism[] {
  if (row.serves !== 'sign') return [row.mechanism]
  return row.family === 'rsa' ? [row.signing, rsaPss] : [row.signing]
}

/** The limits of a new key that this key lacks, in words; empty where it has all. */
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

/** Whether `list` names only these mechanisms. An empty list is no limit. */
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
