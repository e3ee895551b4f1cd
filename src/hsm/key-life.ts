import type { KeyKind, SecretKeyKind, KeyPairKind } from './key-kind.ts'
import type {
  GenerateOptions,
  GeneratedKey,
  GeneratedPair,
  ImportOptions,
  KeyReference,
  TokenObjectKey,
  WrappedKey,
} from './wrapped-key.ts'

/** Undefined where the token can; else the name of what it lacks, such as `AES_CTR`. SoftHSM2 keeps Ed25519 keys, but wraps none. */
export interface KindSupport {
  /** To make, wrap, unwrap and use such keys. */
  readonly wrapped: string | undefined
  /** To make them as objects of the token (`createResident`) and use them. */
  readonly tokenObject: string | undefined
}

/** How keys come to be, come in, go out and end. */
export interface KeyLife {
  /** What this token can do with each kind, tried out once per epoch. */
  kindSupport(): Promise<ReadonlyMap<KeyKind, KindSupport>>

  /**
   * A new key, made in the token and wrapped there; it exists in plain nowhere. Of a pair the private half is wrapped.
   * Rejects with `hsm.unsupported` where `offers` names what is missing.
   */
  generate(kind: KeyKind, options: GenerateOptions): Promise<GeneratedKey>

  /** `generate` for a pair that neither leaves nor is backed up. */
  generatePair(kind: KeyPairKind): Promise<GeneratedPair>

  /** Wraps a secret that came from outside (an OTP seed at enrolment). The caller zeroes `secret` afterwards. */
  importSecret(kind: SecretKeyKind, secret: Uint8Array): Promise<WrappedKey>

  /** The public half of the token's transport key, DER SubjectPublicKeyInfo (RSA): what others wrap keys to for `importKey`. */
  transportPublicKey(): Promise<Buffer>

  /**
   * A key from outside, which is unwrapped and wrapped again in the token and so is never in plain in a process of ours.
   * `wrapped` is what CKM_RSA_AES_KEY_WRAP makes for the transport key (PKCS#11 v2.40 §2.1.21): RSA-OAEP (SHA-1, MGF1-SHA-1, no label)
   * of an AES key ‖ RFC 5649 by that key of the value, or of PKCS#8 for a private key. Rejects with `hsm.rejected` for what cannot be
   * unwrapped, is of another kind or length, or does not fit `options.publicKey`.
   */
  importKey(kind: KeyKind, wrapped: Uint8Array, options: ImportOptions): Promise<GeneratedKey>

  /**
   * The key in the format of `importKey`, wrapped to `recipient`: DER SubjectPublicKeyInfo, RSA of 2048 to 8192 bits. After PKCS#8 there may be
   * up to seven zeros, which SoftHSM2 wraps with it. Rejects with `hsm.rejected` unless the key was born exportable: the strict KEK lets
   * nothing out.
   */
  exportKey(key: KeyReference, recipient: Uint8Array): Promise<Buffer>

  /**
   * The value of the key, or PKCS#8 of a private key, in plain; born exportable, else `hsm.rejected`. Whether that is allowed is the
   * caller's to decide beforehand, and he zeroes it afterwards.
   */
  exportPlain(key: KeyReference): Promise<Buffer>

  /** Makes a key that stays in the token as an object of its own; it can be neither exported nor backed up. On the disk when it resolves. */
  createTokenObject(kind: KeyKind): Promise<TokenObjectKey>

  /** Destroys such a key; one that is not there is no error. */
  destroyTokenObject(id: string): Promise<void>

  /**
   * Makes the data key of a vault: AES-256, never extractable, encrypt and decrypt only. Resolves to its id (CKA_ID, hex): the blob of
   * the record of kind `aes256-gcm` with `vaultKek` by which it is used.
   */
  createVaultKey(): Promise<string>

  /** Destroys the data key of a vault; a key that is not there is no error. */
  destroyVaultKey(id: string): Promise<void>
}
