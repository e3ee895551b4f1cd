import type { Fault } from '../fault.ts'
import type { ApplianceBackupPort } from './appliance-backup-port.ts'
import type { EarlierRows } from './earlier-rows.ts'
import type { KeyKind, KeyPairKind, KindSupport, SecretKeyKind, SignatureScheme } from './key-kind.ts'
import type {
  GenerateOptions,
  WrappedKey,
  Provenance,
  GeneratedKey,
  GeneratedPair,
  TokenObjectKey,
} from './made-key.ts'
import type { LoginPort } from './login-port.ts'
import type { SealedRecord } from './sealed-record.ts'
import type { SealingPort } from './sealing-port.ts'
import type { HostStatus } from './token-status.ts'

export type { SealedRecord } from './sealed-record.ts'
export type { GrantRequest, RewrappedVersion } from './sealing-port.ts'

/**
 * The port to the processes that hold the token: token hosts use keys (`hsm/host`), the keeper decides and seals
 * (`hsm/keeper`). `hsm/client` reaches both; no process in front of it ever holds a key.
 *
 * Every method rejects with a Fault: `hsm.unavailable` (token, process or queue does not answer: try again),
 * `hsm.sealed` (the PIN was refused; an operator must act), `hsm.rejected` (the token found the data bad: wrong tag,
 * wrong length, damaged blob; or the key is of a kind that does not serve), `hsm.seal_broken` (a record does not carry
 * the seal that the token made for it), `hsm.outdated` (the record is older than the newest one the keeper knows),
 * `hsm.unsupported` (this token lacks the mechanism; the detail names it). Other faults stand with their method.
 */
export interface Hsm extends ApplianceBackupPort, EarlierRows, LoginPort, SealingPort {
  /** The state of each token host, with the properties of its token. Never rejects for a host that is down. */
  status(): Promise<HostStatus[]>

  /** The same for the keeper. */
  keeperStatus(): Promise<HostStatus>

  /** Random bytes from the token (C_GenerateRandom). 1 to 65,536 bytes. */
  random(bytes: number): Promise<Buffer>

  close(): Promise<void>

  // The token's own lasting keys bind records, hashes and the audit trail to this token.

  /** Rejects with `hsm.seal_broken` unless `sealed.seal` is what `seal(sealed.record)` gives. */
  verify(sealed: SealedRecord): Promise<void>

  /**
   * The first public audit signing key (DER SubjectPublicKeyInfo), which identifies the appliance. For the key that
   * signs now see `auditKeys`.
   */
  auditPublicKey(): Promise<Buffer>

  // How keys are generated, imported, exported and destroyed.

  /** What this token supports for each kind, tested once per epoch. */
  kindSupport(): Promise<ReadonlyMap<KeyKind, KindSupport>>

  /**
   * Generates a key in the token and wraps it there, so that it is nowhere in plain. Of a key pair the private key is
   * wrapped. Rejects with `hsm.unsupported` where `kindSupport` names what is missing. RSA keys, here and in
   * `createTokenObject`, come from a host of their own: `hsm.unavailable` says when to try again.
   */
  generate(kind: KeyKind, options: GenerateOptions): Promise<GeneratedKey>

  /** `generate` for a pair that is neither exportable nor backed up. */
  generatePair(kind: KeyPairKind, purpose?: Uint8Array): Promise<GeneratedPair>

  /** Wraps a secret from outside (an OTP seed at enrolment). The caller zeroes `secret` afterwards. */
  importSecret(kind: SecretKeyKind, secret: Uint8Array, purpose?: Uint8Array): Promise<WrappedKey & Provenance>

  /**
   * Imports a key: the token unwraps it and wraps it again, so that it is never in plain in one of our processes. The
   * sealed record of an import job (`record-layouts.ts`) gives its kind and flags, and holds the private key that
   * unwraps it. `wrapped` has the format of CKM_RSA_AES_KEY_WRAP for the job's public key (PKCS#11 v2.40 §2.1.21):
   * RSA-OAEP (SHA-1, MGF1-SHA-1, no label) of an AES key ‖ RFC 5649 by that key of the value, or of PKCS#8 for a
   * private key; `publicKey` is as in `ImportOptions`. Rejects with `hsm.rejected` for what cannot be unwrapped, is of
   * another kind or length, does not fit `publicKey`, or comes after the job's end. The key is bound to the key of
   * `to.policy` (from `sealNew`), which has to be new and to agree with the job.
   */
  importKey(
    job: SealedRecord,
    wrapped: Uint8Array,
    to: Pick<KeyReference, 'policy' | 'vaultKey'>,
    publicKey?: Uint8Array,
  ): Promise<GeneratedKey>

  /**
   * The key in the format of `importKey`, wrapped to `recipient`: DER SubjectPublicKeyInfo, RSA of 2048 to 8192 bits.
   * PKCS#8 may be followed by up to seven zero bytes, which SoftHSM2 wraps with it. Rejects with `hsm.rejected` unless
   * the key was generated exportable: what the strict KEK wraps cannot leave the token.
   */
  exportKey(key: KeyReference, recipient: Uint8Array): Promise<Buffer>

  /**
   * The value of the key, or PKCS#8 of a private key, in plain. Rejects with `hsm.rejected` unless it was generated
   * exportable. The caller checks beforehand whether that is allowed, and zeroes it afterwards.
   */
  exportPlain(key: KeyReference): Promise<Buffer>

  /**
   * Generates an object in the token, which can be neither exported nor backed up. It is on the disk when this
   * resolves. `permit`, from `permitObject`, is of this kind, and serves once: `hsm.unavailable` where another is needed.
   */
  createTokenObject(kind: KeyKind, permit: SealedRecord): Promise<TokenObjectKey>

  /**
   * Destroys such an object. `key`: the sealed record of the key, which names the object. `mark`: the sealed proof that
   * the key has ended, which is the tombstone of the vault or key, or the policy of the key for a trimmed version; for
   * an object in no record, `key` and `mark` are both the result of `sealUnused`. The keeper must have been shown a
   * tombstone or policy (`raise`). An object that does not exist is no error. Rejects with `hsm.rejected` for any other
   * object.
   */
  destroyObject(key: SealedRecord, mark: SealedRecord): Promise<void>

  // What keys are used for, each in the token.
  //
  // A ciphertext is IV ‖ ciphertext ‖ tag, with a fresh random IV that the host draws. `*-gcm`: IV 12 bytes, tag 16
  // bytes (NIST SP 800-38D). `*-ctr` (a 128-bit counter that begins at the IV) and `*-ofb`: IV 16 bytes, no tag (SP
  // 800-38A §6.5, §6.4), so that an attacker who changes such a ciphertext changes the plaintext undetected; they take
  // no additional data (`hsm.rejected`).

  encrypt(key: KeyReference, plaintext: Uint8Array, aad?: Uint8Array): Promise<Buffer>

  /**
   * `encrypt` of `count` random bytes of the token (1 to 65,536): a key for data that is encrypted elsewhere. Without
   * `open` they leave the host only encrypted. Needs no right to encrypt data of the caller's choice.
   */
  makeDataKey(
    key: KeyReference,
    request: { readonly count: number; readonly aad?: Uint8Array | undefined; readonly open: boolean },
  ): Promise<{ readonly ciphertext: Buffer; readonly plaintext: Buffer | undefined }>

  /** Decrypts what `encrypt` gave. For `*-gcm`, rejects with `hsm.rejected` when `ciphertext` or `aad` was changed. */
  decrypt(key: KeyReference, ciphertext: Uint8Array, aad?: Uint8Array): Promise<Buffer>

  /** Decrypts under one key and encrypts under another. The plaintext does not leave the host. */
  rewrap(item: RewrapItem): Promise<Buffer>

  /**
   * `encrypt`, `decrypt` and `rewrap` for N items, in as few frames as hosts accept: N outcomes in the order of the
   * items. A bad item gets its own fault. A failure of the token itself (`hsm.unavailable`, `hsm.sealed`) rejects the
   * whole call. Items of one frame with the same reference object share the verification of its seals.
   */
  encryptMany(items: readonly EncryptItem[]): Promise<readonly Outcome[]>
  decryptMany(items: readonly DecryptItem[]): Promise<readonly Outcome[]>
  rewrapMany(items: readonly RewrapItem[]): Promise<readonly Outcome[]>

  /**
   * Signs with a key pair. `input` is the digest by `scheme.hash` for `ec-*` and `rsa-*`, and the message itself for
   * `ed25519` (RFC 8032, pure). ECDSA gives r ‖ s, each as long as the curve's order.
   */
  sign(key: KeyReference, scheme: SignatureScheme, input: Uint8Array): Promise<Buffer>

  /** Whether the signature is valid, verified in the token with the public key in the sealed record. */
  verifySignature(
    key: KeyReference,
    scheme: SignatureScheme,
    input: Uint8Array,
    signature: Uint8Array,
  ): Promise<boolean>

  /** HMAC-SHA-256 with a key of kind `hmac-sha256`: 32 bytes. */
  hmac(key: KeyReference, data: Uint8Array): Promise<Buffer>

  /** Whether `mac` is what `hmac` gives (32 bytes), compared in constant time. */
  verifyHmac(key: KeyReference, data: Uint8Array, mac: Uint8Array): Promise<boolean>

  /**
   * HMAC-SHA-1 (20 bytes) with the key of a sealed client of the validator: over an answer (`readValidationAnswer`)
   * that accepts no OTP; and whether `mac` is that of any text.
   */
  signValidation(client: SealedRecord, answer: string): Promise<Buffer>
  verifyValidation(client: SealedRecord, text: string, mac: Uint8Array): Promise<boolean>

  // How keys go from one appliance to another that holds the same backup keys (`shareBackupKeys` and
  // `adoptBackupKeys` in `hsm/pkcs11`).

  /**
   * A backup of a key with its versions (`key-backup-record.ts`), under the newest backup seal. Policy, versions and counts
   * are read from sealed records. Rejects with `hsm.rejected` where the policy forbids backups, or the records are not
   * of one key. The host adds the appliance to the origin; the policy gives the vault.
   */
  sealBackup(key: KeyToBackUp): Promise<Buffer>

  /**
   * Rejects with `hsm.seal_broken` unless a backup seal of this token sealed the backup; with `hsm.rejected` where the
   * token has no backup seal of that name, since the backup then comes from an appliance with other backup keys; with
   * `backup.invalid` for anything that is not a backup.
   */
  verifyBackup(backup: Uint8Array): Promise<void>

  /**
   * Restores versions of a backup, beginning with number `from`: a limited number per call, so that others need not
   * wait for all. The host verifies the seal of the backup, which gives kind, keys and flags. The versions are bound to
   * the key of `to.policy` (from `sealNew`), which has to agree with the backup. Each stays wrapped under its backup
   * KEK, with the checks of `importKey`. Rejects with `hsm.rejected` for an exportable key that was not generated
   * exportable.
   */
  restoreKey(
    backup: Uint8Array,
    to: Pick<KeyReference, 'policy' | 'vaultKey'>,
    from: number,
  ): Promise<readonly GeneratedKey[]>
}

export interface KeyToBackUp {
  readonly policy: SealedRecord
  /** As in a `KeyReference`. */
  readonly vaultKey?: SealedRecord | undefined
  readonly versions: readonly { readonly key: SealedRecord; readonly count: SealedRecord }[]
  readonly grant?: SealedRecord
}

/**
 * A key to use: the sealed record with its wrapped blob (made by `keyRecord`) and, where limits and flags are in a row
 * of their own, the sealed record of that row. The host verifies all seals before the first use, and checks before each
 * use whether grant and policy allow it (`decide`).
 */
export interface KeyReference {
  readonly key: SealedRecord
  readonly policy?: SealedRecord
  /** The grant of the caller on whose behalf it is used. */
  readonly grant?: SealedRecord
  /** For a key in a vault: the record of the vault's data key, which wraps it as well. */
  readonly vaultKey?: SealedRecord
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
  /** The additional data of `ciphertext`. */
  readonly aad?: Uint8Array | undefined
  /** The additional data of the new ciphertext; undefined for none. */
  readonly newAad?: Uint8Array | undefined
}

/** The outcome of one item of a batch. */
export type Outcome<T = Buffer> = { readonly result: T } | { readonly fault: Fault }
