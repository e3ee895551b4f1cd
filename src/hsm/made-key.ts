import type { SealedRecord } from './sealed-record.ts'

export interface GenerateOptions extends KeyPurpose {
  readonly exportable: boolean
  /** Also wrap the new key under the backup KEK: at once, because the strict KEK lets nothing out again. */
  readonly backup: boolean
}

/** What a key is made for. */
export interface KeyPurpose {
  /** As `provenance.ts` says it; a key for nothing is sealed in no record. */
  readonly purpose?: Uint8Array
  /** In place of the purpose, for a version of a key of a vault: it is wrapped by the vault's key too. */
  readonly place?: KeyPlace
}

/** A key of a vault, and the vault, each by its identity. */
export interface PlacedKey {
  readonly identity: Buffer
  readonly vault: Buffer
}

/** Where a key of a vault belongs. */
export interface KeyPlace extends PlacedKey {
  /** The record of the vault's own key. */
  readonly vaultKey: SealedRecord
}

export interface ImportOptions extends GenerateOptions {
  /**
   * The public half, DER SubjectPublicKeyInfo. Elliptic-curve keys need it, because PKCS#11 has no call that makes it
   * of the private half; it is accepted only after a signature by one verifies with the other. RSA keys need none; one
   * that is given has to match.
   */
  readonly publicKey?: Uint8Array
}

export interface WrappedKey {
  /** Label of the wrapping key with its version, as `strict.v1`; `token` or `vault` for an object of the token. */
  readonly kek: string
  readonly blob: Buffer
}

/** That a host made a key for a purpose, under the token's seal: 48 bytes; empty for a key that was made for none. */
export interface Provenance {
  readonly provenance: Buffer
}

/** A key as the token gives it. */
export interface MadeKey extends WrappedKey {
  readonly backup?: WrappedKey | undefined
  /** Of a pair kind, DER SubjectPublicKeyInfo; else undefined. */
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
export interface MadeObject {
  /** CKA_ID, hexadecimal. Its record has `kek: 'token'` and these bytes as blob. */
  readonly id: string
  /** Of a pair kind, DER SubjectPublicKeyInfo; else undefined. */
  readonly publicKey: Buffer | undefined
}

export interface TokenObjectKey extends MadeObject, Provenance {}
