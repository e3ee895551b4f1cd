import type { Fault } from '../fault.ts'
import type { ApplianceBackupPort } from './appliance-backup-port.ts'
import type { EarlierRows } from './earlier-rows.ts'
import type { KeyKind, KeyPairKind, KindSupport, SecretKeyKind, SignatureScheme } from './key-kind.ts'
import type {
  GenerateOptions,
  KeyPurpose,
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
 * Every method rejects with a Fault: `hsm.unavailable` (token, process or queue does not answer: try again), `hsm.sealed`
 * (the PIN was refused; an operator must act), `hsm.rejected` (the token found the data bad: wrong tag, wrong length,
 * damaged blob; or the key is of a kind that does not serve), `hsm.seal_broken` (a record does not carry the seal that
 * the token made for it), `hsm.outdated` (the record is older than the newest one the keeper knows), `hsm.unsupported`
 * (this token lacks the mechanism; the detail names it). Other faults stand with their method.
 */
export interface Hsm extends ApplianceBackupPort, EarlierRows, LoginPort, SealingPort {
  /** Whether each token host answers, and what its token is and can do. Never rejects for a host that is down. */
  status(): Promise<HostStatus[]>

  /** The same of the keeper. */
  keeperStatus(): Promise<HostStatus>

  /** Random bytes from the token (C_GenerateRandom). 1 to 65,536 bytes. */
  random(bytes: number): Promise<Buffer>

  close(): Promise<void>

  // The token's own lasting keys bind records, hashes and the audit trail to this token.

  /** Rejects with `hsm.seal_broken` unless `sealed.seal` is what `seal(sealed.record)` gives. */
  verify(sealed: SealedRecord): Promise<void>

  /**
   * The public half of the first audit signing key, DER SubjectPublicKeyInfo: by it the appliance is known. Which key
   * signs now: `auditKeys`.
   */
  auditPublicKey(): Promise<Buffer>

  // How keys are generated, imported, exported and destroyed.

  /** What this token can do with each kind, tried out once per epoch. */
  kindSupport(): Promise<ReadonlyMap<KeyKind, KindSupport>>

  /**
   * A new key, generated in the token and wrapped there; it exists in plain nowhere. Of a pair the private half is
   * wrapped. Rejects with `hsm.unsupported` where `kindSupport` names what is missing. RSA keys come from a host of
   * their own, here and in `createTokenObject`: `hsm.unavailable` says when to try again.
   */
  generate(kind: KeyKind, options: GenerateOptions): Promise<GeneratedKey>

  /** `generate` for a pair that is neither exportable nor backed up. */
  generatePair(kind: KeyPairKind, purpose?: Uint8Array): Promise<GeneratedPair>

  /** Wraps a secret that came from outside (an OTP seed at enrolment). The caller zeroes `secret` afterwards. */
  importSecret(kind: SecretKeyKind, secret: Uint8Array, purpose?: Uint8Array): Promise<WrappedKey & Provenance>

  /**
   * A key from outside, which is unwrapped and wrapped again in the token and so is never in plain in a process of
   * ours. The sealed record of an import job (`record-layouts.ts`) says of what kind it is, whether it is exportable and
   * backed up, and holds the private key by which it is unwrapped. `wrapped` is what CKM_RSA_AES_KEY_WRAP makes for the
   * public half (PKCS#11 v2.40 §2.1.21): RSA-OAEP (SHA-1, MGF1-SHA-1, no label) of an AES key ‖ RFC 5649 by that key of
   * the value, or of PKCS#8 for a private key; `publicKey` is as in `ImportOptions`. Rejects with `hsm.rejected` for what
   * cannot be unwrapped, is of another kind or length, does not fit `publicKey`, or comes after the job's end. It is
   * made for the key of `to.policy` (of `sealNew`), which has to be new and to say what the job says.
   */
  importKey(
    job: SealedRecord,
    wrapped: Uint8Array,
    to: Pick<KeyReference, 'policy' | 'vaultKey'>,
    publicKey?: Uint8Array,
  ): Promise<GeneratedKey>

  /**
   * The key in the format of `importKey`, wrapped to `recipient`: DER SubjectPublicKeyInfo, RSA of 2048 to 8192 bits.
   * After PKCS#8 there may be up to seven zeros, which SoftHSM2 wraps with it. Rejects with `hsm.rejected` unless the
   * key was generated exportable: the strict KEK lets nothing out.
   */
  exportKey(key: KeyReference, recipient: Uint8Array): Promise<Buffer>

  /**
   * The value of the key, or PKCS#8 of a private key, in plain; generated exportable, else `hsm.rejected`. The caller
   * decides beforehand whether that is allowed, and zeroes it afterwards.
   */
  exportPlain(key: KeyReference): Promise<Buffer>

  /** Generates an object of the token, which can be neither exported nor backed up. On the disk when it resolves. */
  createTokenObject(kind: KeyKind, purpose?: KeyPurpose): Promise<TokenObjectKey>

  /**
   * Generates the data key of a vault: AES-256, never extractable, encrypt and decrypt only. Resolves to its id
   * (CKA_ID, hex): the blob of the record of kind `aes256-gcm` with `vaultKek` by which it is used.
   */
  createVaultKey(purpose?: Uint8Array): Promise<{ readonly id: string } & Provenance>

  /**
   * Destroys such an object, which the sealed record of a key names, where a sealed mark says that the key has ended: the
   * tombstone of the vault or key, for a version that was trimmed the policy of its key, or for an object that is in no
   * record what `sealUnused` gave, as both. The keeper must have been shown a tombstone or policy (`raise`). An object
   * that is not there is no error. Rejects with `hsm.rejected` for any other.
   */
  destroyObject(key: SealedRecord, mark: SealedRecord): Promise<void>

  // What keys are used for, each in the token.
  //
  // What the cipher kinds give is IV ‖ ciphertext ‖ tag with a fresh random IV that the host draws: `*-gcm` IV 12
  // bytes, tag 16 (NIST SP 800-38D); `*-ctr` (a 128-bit counter that begins at the IV) and `*-ofb` IV 16 bytes, no tag
  // (SP 800-38A §6.5, §6.4): an attacker who changes such a ciphertext changes the plaintext undetected. They take no
  // AAD: one that is not empty is `hsm.rejected`.

  encrypt(key: KeyReference, plaintext: Uint8Array, aad?: Uint8Array): Promise<Buffer>

  /**
   * `encrypt` of so many random bytes of the token (1 to 65,536): a key for data elsewhere. Without `open` they leave the
   * host only encrypted. It takes no right to encrypt what the caller likes.
   */
  makeDataKey(
    key: KeyReference,
    request: { readonly count: number; readonly aad?: Uint8Array | undefined; readonly open: boolean },
  ): Promise<{ readonly ciphertext: Buffer; readonly plaintext: Buffer | undefined }>

  /** The reverse of `encrypt`; `*-gcm` rejects with `hsm.rejected` when `ciphertext` or `aad` was changed. */
  decrypt(key: KeyReference, ciphertext: Uint8Array, aad?: Uint8Array): Promise<Buffer>

  /** Decrypts under one key and encrypts under another; the plaintext does not leave the host. */
  rewrap(item: RewrapItem): Promise<Buffer>

  /**
   * `encrypt`, `decrypt` and `rewrap` for N items in one frame: N outcomes in the order of the items. A bad item has
   * its fault and leaves the others alone; a failure of the token itself (`hsm.unavailable`, `hsm.sealed`) rejects the
   * whole call. Items with the same reference object share its check.
   */
  encryptMany(items: readonly EncryptItem[]): Promise<readonly Outcome[]>
  decryptMany(items: readonly DecryptItem[]): Promise<readonly Outcome[]>
  rewrapMany(items: readonly RewrapItem[]): Promise<readonly Outcome[]>

  /**
   * Signs with a pair kind. `input` for `ec-*` and `rsa-*` is the digest by `scheme.hash`, for `ed25519` the message
   * itself (RFC 8032, pure). ECDSA gives r ‖ s, each as long as the curve's order.
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
   * The HMAC-SHA-1 of an answer of the validator (`readValidationAnswer`), or whether `mac` is that of any text, with the
   * key of a sealed client of the validator.
   */
  signValidation(client: SealedRecord, answer: string): Promise<Buffer>
  verifyValidation(client: SealedRecord, text: string, mac: Uint8Array): Promise<boolean>

  // How keys go from one appliance to another that holds the same backup keys (`shareBackupKeys` and
  // `adoptBackupKeys` in `hsm/pkcs11`).

  /**
   * A backup of a key with its versions (`backup-record.ts`), under the newest backup seal. Policy, versions and counts
   * are read from sealed records: `hsm.rejected` where the policy forbids it, or they are not of one key. Of the origin
   * the host says which appliance it is, and the policy which vault.
   */
  sealBackup(key: KeyToBackUp): Promise<Buffer>

  /**
   * Rejects with `hsm.seal_broken` unless a backup seal of this token made the seal of the backup, with `hsm.rejected`
   * where the token has no backup seal of that name: then the backup comes from an appliance with other backup keys.
   * `backup.invalid` for what is no backup.
   */
  verifyBackup(backup: Uint8Array): Promise<void>

  /**
   * Takes versions of a backup into use, the first of them `from`; some at once, so that others do not wait for all. Kind,
   * keys and flags are those of the backup, whose seal is checked, and the keys are made for the key of `to.policy` (of
   * `sealNew`), which has to say what the backup says. Each stays under its backup KEK, with the checks of `importKey`.
   * `hsm.rejected` for a key that is exportable and was not generated exportable.
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
 * A key to use: the sealed record that holds its wrapped blob (made with `keyRecord`), and, where limits and flags
 * live in a row of their own, that row's sealed record too. The host checks every seal before the first use, and at each
 * whether grant and policy allow it (`decide`).
 */
export interface KeyReference {
  readonly key: SealedRecord
  readonly policy?: SealedRecord
  /** What the caller may do for whom it is used. */
  readonly grant?: SealedRecord
  /** Of a key in a vault, the record of the vault's own key: it is wrapped by that one too. */
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
  /** What `ciphertext` was made with. */
  readonly aad?: Uint8Array | undefined
  /** What the new ciphertext is bound to; undefined for nothing. */
  readonly newAad?: Uint8Array | undefined
}

/** What became of one item of a batch. */
export type Outcome<T = Buffer> = { readonly result: T } | { readonly fault: Fault }
