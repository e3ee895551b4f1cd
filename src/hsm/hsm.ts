import { decodeRecord, encodeRecord, type RecordField } from './key-record.ts'

/**
 * The port to everything secret, in our words. Behind it stands a token host (`hsm/client` → `hsm/host` →
 * `hsm/pkcs11`); nothing in front of it ever holds a key.
 *
 * Every method rejects with a Fault: `hsm.unavailable` (token, host or queue does not answer: try again),
 * `hsm.sealed` (the PIN was refused; an operator must act), `hsm.rejected` (the token found the data bad: wrong tag,
 * wrong length, damaged blob), `hsm.seal_broken` (a record does not carry the seal that the token made for it),
 * `hsm.unsupported` (this token lacks the mechanism; the detail names it).
 */
export interface Hsm {
  /** Whether each token host answers, and what its token is and can do. Never rejects for a host that is down. */
  status(): Promise<HostStatus[]>

  /** Random bytes from the token (C_GenerateRandom). 1 to 65,536 bytes. */
  random(bytes: number): Promise<Buffer>

  /** HMAC-SHA-256 over `record` by the token's seal key: 32 bytes. */
  seal(record: Uint8Array): Promise<Buffer>

  /** Rejects with `hsm.seal_broken` unless `sealed.seal` is what `seal(sealed.record)` gives. */
  verify(sealed: SealedRecord): Promise<void>

  /** HMAC-SHA-256 by the token's pepper, for what is stored to be compared (pass phrases, application keys): 32 bytes. */
  pepper(data: Uint8Array): Promise<Buffer>

  /** A new key, made in the token and wrapped there; it exists in plain nowhere. */
  generate(kind: KeyKind, options: GenerateOptions): Promise<GeneratedKey>

  /** A new key pair, made in the token; the private key leaves it wrapped. */
  generatePair(kind: PairKind): Promise<GeneratedPair>

  /** Wraps a secret that came from outside (an OTP seed at enrolment). The caller zeroes `secret` afterwards. */
  importSecret(kind: KeyKind, secret: Uint8Array): Promise<WrappedKey>

  /**
   * AES-GCM with a fresh random 96-bit IV that the host draws and a 128-bit tag (NIST SP 800-38D).
   * Resolves to IV (12 bytes) ‖ ciphertext ‖ tag (16 bytes).
   */
  encrypt(key: KeyReference, plaintext: Uint8Array, aad?: Uint8Array): Promise<Buffer>

  /** The reverse of `encrypt`; rejects with `hsm.rejected` when anything in `sealedText` or `aad` was changed. */
  decrypt(key: KeyReference, sealedText: Uint8Array, aad?: Uint8Array): Promise<Buffer>

  /** Decrypts the one AES block (16 bytes) of a hardware-token OTP, with a key of kind `otp-aes128`. */
  decryptOtpBlock(key: KeyReference, block: Uint8Array): Promise<Buffer>

  /** The HMAC of `data` with a key of kind `otp-hmac-*`, for HOTP and TOTP (RFC 4226, RFC 6238). */
  otpHmac(key: KeyReference, data: Uint8Array): Promise<Buffer>

  /** Makes the data key of a vault: AES-256, never extractable, encrypt and decrypt only. Resolves to its id (CKA_ID, hex). */
  createVaultKey(): Promise<string>

  /** Destroys the data key of a vault; a key that is not there is no error. */
  destroyVaultKey(id: string): Promise<void>

  /** ECDSA P-256 over a 32-byte SHA-256 digest with the audit signing key: 64 bytes, r ‖ s. */
  signAudit(digest: Uint8Array): Promise<Buffer>

  /** The audit signing key's public half, DER SubjectPublicKeyInfo. */
  auditPublicKey(): Promise<Buffer>

  close(): Promise<void>
}

/** Kinds of secret keys that travel wrapped. What each means in the token is a row of `hsm/pkcs11/key-kinds.ts`. */
export const keyKinds = [
  'aes128-gcm',
  'aes256-gcm',
  'otp-aes128',
  'otp-hmac-sha1',
  'otp-hmac-sha256',
  'otp-hmac-sha512',
] as const
export type KeyKind = (typeof keyKinds)[number]

export const pairKinds = ['ec-p256'] as const
export type PairKind = (typeof pairKinds)[number]

/**
 * Which key-encryption key wraps: nothing leaves the token from under `strict`, and only what was born exportable is
 * wrapped under `exportable`.
 */
export type KekName = 'strict' | 'exportable' | 'backup'

export interface GenerateOptions {
  readonly exportable: boolean
  /** Also wrap the new key under the backup KEK: at birth, because the strict KEK lets nothing out again. */
  readonly backup: boolean
}

export interface WrappedKey {
  /** Label of the wrapping key with its version, for example `strict.v1`. */
  readonly kek: string
  readonly blob: Buffer
}

export interface GeneratedKey extends WrappedKey {
  readonly backup: WrappedKey | undefined
}

export interface GeneratedPair extends WrappedKey {
  /** DER SubjectPublicKeyInfo. */
  readonly publicKey: Buffer
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

/** The bytes to seal for a wrapped key: kind, KEK and blob first, then whatever binds it to its place. */
export function keyRecord(kind: KeyKind | PairKind, wrapped: WrappedKey, context: readonly RecordField[]): Buffer {
  return encodeRecord([kind, wrapped.kek, wrapped.blob, ...context])
}

/** What a host needs of a key record to unwrap it. Throws RangeError or TypeError on anything `keyRecord` did not make. */
export function openKeyRecord(record: Buffer): { kind: string; kek: string; blob: Buffer } {
  const [kind, kek, blob] = decodeRecord(record)
  if (kind?.[0] !== 0x73 || kek?.[0] !== 0x73 || blob?.[0] !== 0x62) throw new TypeError('not a key record')
  return { kind: kind.toString('utf8', 1), kek: kek.toString('utf8', 1), blob: blob.subarray(1) }
}

export interface HostStatus {
  /** The unix socket of the host. */
  readonly socket: string
  readonly state: 'ready' | 'sealed' | 'down'
  /** Why it is not ready. */
  readonly reason?: string
  readonly token?: TokenStatus
}

export interface TokenStatus {
  readonly label: string
  readonly serial: string
  readonly manufacturer: string
  readonly model: string
  readonly slot: number
  /** Names such as `AES_GCM`, sorted. */
  readonly mechanisms: readonly string[]
  /** Root objects and vault keys present in the token. */
  readonly objects: { readonly root: readonly string[]; readonly vaultKeys: number }
  readonly sessions: { readonly open: number; readonly max: number }
  /** Unwrapped keys held at the moment, and the bound. */
  readonly handles: { readonly held: number; readonly limit: number }
  /** Grows by one whenever the token was initialised anew; handles of an older epoch are never used. */
  readonly epoch: number
  /** Results of the start-up conformance probe: name → passed or the reason why not. */
  readonly conformance: Readonly<Record<string, string>>
}
