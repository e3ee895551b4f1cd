import type { Fault } from '../fault.ts'
import type { KeyReference } from './wrapped-key.ts'

/**
 * What keys are used for, each in the token. Every method rejects with `hsm.rejected` for a key of a kind that does not serve, and
 * with `hsm.seal_broken` for a reference that was altered.
 *
 * What the cipher kinds give is IV ‖ ciphertext ‖ tag with a fresh random IV that the host draws: `*-gcm` IV 12 bytes, tag 16
 * (NIST SP 800-38D); `*-ctr` (a 128-bit counter that begins at the IV) and `*-ofb` IV 16 bytes, no tag (SP 800-38A §6.5, §6.4): whoever
 * changes such a ciphertext changes the plaintext, and nothing notices. They take no AAD: one that is not empty is `hsm.rejected`.
 */
export interface KeyUse {
  encrypt(key: KeyReference, plaintext: Uint8Array, aad?: Uint8Array): Promise<Buffer>

  /** `encrypt` of so many random bytes of the token (1 to 65,536), which nobody sees: a key for data elsewhere. */
  encryptRandom(key: KeyReference, count: number, aad?: Uint8Array): Promise<Buffer>

  /** The reverse of `encrypt`; for `*-gcm` rejects with `hsm.rejected` when anything in `ciphertext` or `aad` was changed. */
  decrypt(key: KeyReference, ciphertext: Uint8Array, aad?: Uint8Array): Promise<Buffer>

  /** Decrypts under one key and encrypts under another, with the plaintext known to nobody but the host. */
  rewrap(item: RewrapItem): Promise<Buffer>

  /**
   * `encrypt`, `decrypt` and `rewrap` for many items at once, in one frame: outcomes in the order of the items. An item that is bad
   * has its fault and spoils no other; what ails the token itself (`hsm.unavailable`, `hsm.sealed`) rejects the whole call. Items
   * with the same reference object share its check.
   */
  encryptMany(items: readonly EncryptItem[]): Promise<readonly Outcome[]>
  decryptMany(items: readonly DecryptItem[]): Promise<readonly Outcome[]>
  rewrapMany(items: readonly RewrapItem[]): Promise<readonly Outcome[]>

  /**
   * Signs with a pair kind. `input` for `ec-*` and `rsa-*` is the digest by `scheme.hash`, for `ed25519` the message itself (RFC 8032,
   * pure). ECDSA gives r ‖ s, each as long as the curve's order.
   */
  sign(key: KeyReference, scheme: SignatureScheme, input: Uint8Array): Promise<Buffer>

  /** Whether the signature is good; verified in the token with the public key of the sealed record. */
  verifySignature(
    key: KeyReference,
    scheme: SignatureScheme,
    input: Uint8Array,
    signature: Uint8Array,
  ): Promise<boolean>

  /** HMAC-SHA-256 with a key of kind `hmac-sha256`: 32 bytes. */
  hmac(key: KeyReference, data: Uint8Array): Promise<Buffer>

  /** Whether `mac` is what `hmac` gives, all 32 bytes; compared in constant time. */
  verifyHmac(key: KeyReference, data: Uint8Array, mac: Uint8Array): Promise<boolean>

  /**
   * Decrypts the one AES block (16 bytes) of a hardware-token OTP, with a key of kind `otp-aes128`, and gives the 10 bytes behind the
   * private id. That one stays inside: it is compared there with `privateIdCheck`, the pepper's HMAC over `privateIdRecord`. Rejects with
   * `hsm.rejected` when the CRC or the private id is wrong.
   */
  decryptOtpBlock(key: KeyReference, block: Uint8Array, privateIdCheck: Uint8Array): Promise<Buffer>

  /** The HMAC of `data` with a key of kind `otp-hmac-*`, for HOTP and TOTP (RFC 4226, RFC 6238). */
  otpHmac(key: KeyReference, data: Uint8Array): Promise<Buffer>
}

export interface EncryptItem {
  readonly key: KeyReference
  readonly plaintext: Uint8Array
  readonly aad?: Uint8Array | undefined
}

export interface DecryptItem {
  readonly key: KeyReference
  readonly ciphertext: Uint8Array
  readonly aad?: Uint8Array | undefined
}

export interface RewrapItem {
  readonly from: KeyReference
  readonly to: KeyReference
  readonly ciphertext: Uint8Array
  /** What `ciphertext` was made with. */
  readonly aad?: Uint8Array | undefined
  /** What the new ciphertext is bound to; undefined for nothing. */
  readonly newAad?: Uint8Array | undefined
}

export type Outcome = { readonly result: Buffer } | { readonly fault: Fault }

export const hashes = ['sha256', 'sha384', 'sha512'] as const
export type Hash = (typeof hashes)[number]

export const paddings = ['pss', 'pkcs1v15'] as const
export type Padding = (typeof paddings)[number]

/** How to sign: the hash counts for `ec-*` and `rsa-*`, the rest for `rsa-*` alone. */
export interface SignatureScheme {
  readonly hash: Hash
  /** `pss` (RFC 8017 §8.1, MGF1 with the same hash) unless given. */
  readonly padding?: Padding | undefined
  /** Salt of PSS; as long as the digest unless given. */
  readonly saltBytes?: number | undefined
}

/** What the pepper's HMAC covers for the private id (6 bytes) of a hardware token; the caller zeroes it. */
export function privateIdRecord(privateId: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from('yubico private id\0'), privateId])
}
