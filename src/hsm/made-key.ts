import type { SealedRecord } from './sealed-record.ts'

export interface GenerateOptions extends KeyPurpose {
  readonly exportable: boolean
  /**
   * Also wraps the new key under the backup KEK. This has to happen at once, because what the strict KEK wraps cannot
   * be wrapped again.
   */
  readonly backup: boolean
}

/** The purpose to which a new key is bound. */
export interface KeyPurpose {
  /** In the form of `provenance.ts`. A key without a purpose is never sealed in a record. */
  readonly purpose?: Uint8Array
  /** Instead of `purpose`, for a version of a key in a vault. */
  readonly outerWrapping?: OuterWrapping
}

/** The identities of a key and of its vault. */
export interface KeyIdentity {
  readonly identity: Buffer
  readonly vault: Buffer
}

/** The outer wrapping of a key, by the data key of its vault. */
export interface OuterWrapping extends KeyIdentity {
  /** The record of the data key. */
  readonly vaultKey: SealedRecord
}

export interface ImportOptions extends GenerateOptions {
  /**
   * The public key, DER SubjectPublicKeyInfo. Required for elliptic-curve keys, because PKCS#11 cannot derive it from
   * the private key; it is accepted only after it verifies a signature by the private key. Optional for RSA keys, where
   * it has to match.
   */
  readonly publicKey?: Uint8Array
}

export interface WrappedKey {
  /** Label of the wrapping key with its version, such as `strict.v1`; `token` or `vault` for an object of the token. */
  readonly kek: string
  readonly blob: Buffer
}

/** Sealed proof that a host made the key for a purpose: 48 bytes; empty for a key without a purpose. */
export interface Provenance {
  readonly provenance: Buffer
}

/** A new key from the token. */
export interface MadeKey extends WrappedKey {
  readonly backup?: WrappedKey | undefined
  /** For a key pair, DER SubjectPublicKeyInfo; otherwise undefined. */
  readonly publicKey?: Buffer | undefined
}

export interface GeneratedKey extends MadeKey, Provenance {
  readonly backup: WrappedKey | undefined
  readonly publicKey: Buffer | undefined
}

export interface GeneratedPair extends WrappedKey, Provenance {
  /** DER SubjectPublicKeyInfo. */
  readonly publicKey: Buffer
}

/** A key that never leaves the token, in any form. */
export interface TokenObjectKey extends Provenance {
  /** CKA_ID, hexadecimal. Its record has these bytes as its blob, and `token` or `vault` as its KEK. */
  readonly id: string
  /** For a key pair, DER SubjectPublicKeyInfo; otherwise undefined. */
  readonly publicKey: Buffer | undefined
}
