import { type KeyKind, isKeyPairKind } from './key-kind.ts'
import { type RecordField, decodeRecord, encodeRecord } from './key-record.ts'

/**
 * Which key-encryption key wraps: nothing leaves the token from under `strict`, and only what was born exportable is
 * wrapped under `exportable`.
 */
export type KekName = 'strict' | 'exportable' | 'backup'

/** Stands in the place of a KEK's name for a key that is an object of the token; its blob is the object's CKA_ID. */
export const tokenObjectKek = 'token'

/** Stands there for the data key of a vault (`createVaultKey`), in the same way. */
export const vaultKek = 'vault'

export interface GenerateOptions {
  readonly exportable: boolean
  /** Also wrap the new key under the backup KEK: at birth, because the strict KEK lets nothing out again. */
  readonly backup: boolean
}

export interface ImportOptions extends GenerateOptions {
  /**
   * The public half, DER SubjectPublicKeyInfo. Elliptic-curve keys need it, because PKCS#11 has no call that makes it of the private
   * half; it is believed only after a signature by one verifies with the other. RSA keys need none; one that is given has to match.
   */
  readonly publicKey?: Uint8Array
}

export interface WrappedKey {
  /** Label of the wrapping key with its version, for example `strict.v1`; `token` or `vault` for a key that is an object of the token. */
  readonly kek: string
  readonly blob: Buffer
}

export interface GeneratedKey extends WrappedKey {
  readonly backup: WrappedKey | undefined
  /** Of a pair kind, DER SubjectPublicKeyInfo; else undefined. */
  readonly publicKey: Buffer | undefined
}

export interface GeneratedPair extends WrappedKey {
  /** DER SubjectPublicKeyInfo. */
  readonly publicKey: Buffer
}

/** A key that never leaves the token, in any form. */
export interface TokenObjectKey {
  /** CKA_ID, hexadecimal. Its record has `kek: 'token'` and these bytes as blob. */
  readonly id: string
  /** Of a pair kind, DER SubjectPublicKeyInfo; else undefined. */
  readonly publicKey: Buffer | undefined
}

export interface SealedRecord {
  readonly record: Buffer
  /** 32 bytes. */
  readonly seal: Buffer
}

/**
 * A key to use: the sealed record that holds its wrapped blob (made with `keyRecord`), and, where limits and flags
 * live in a row of their own, that row's sealed record too. The host checks every seal before the first use.
 */
export interface KeyReference {
  readonly key: SealedRecord
  readonly policy?: SealedRecord
}

/**
 * The bytes to seal for a wrapped key: kind, KEK and blob, for a pair kind its public key, then whatever binds it to its place.
 * Throws TypeError for a pair kind without its public key.
 */
export function keyRecord(
  kind: KeyKind,
  wrapped: WrappedKey & { readonly publicKey?: Buffer | undefined },
  context: readonly RecordField[],
): Buffer {
  if (!isKeyPairKind(kind)) return encodeRecord([kind, wrapped.kek, wrapped.blob, ...context])
  if (wrapped.publicKey === undefined) throw new TypeError(`a key of kind ${kind} without its public key`)
  return encodeRecord([kind, wrapped.kek, wrapped.blob, wrapped.publicKey, ...context])
}

/** What a host needs of a key record. Throws RangeError or TypeError on anything `keyRecord` did not make. */
export function openKeyRecord(record: Buffer): {
  kind: string
  kek: string
  blob: Buffer
  publicKey: Buffer | undefined
} {
  const [kind, kek, blob, publicKey] = decodeRecord(record)
  if (kind?.[0] !== 0x73 || kek?.[0] !== 0x73 || blob?.[0] !== 0x62) throw new TypeError('not a key record')
  const opened = { kind: kind.toString('utf8', 1), kek: kek.toString('utf8', 1), blob: blob.subarray(1) }
  if (!isKeyPairKind(opened.kind)) return { ...opened, publicKey: undefined }
  if (publicKey?.[0] !== 0x62) throw new TypeError('a pair without its public key')
  return { ...opened, publicKey: publicKey.subarray(1) }
}
