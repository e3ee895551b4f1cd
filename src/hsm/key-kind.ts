/** Kinds of secret keys. What each means in the token is a row of `hsm/pkcs11/key-kinds.ts`. */
export const secretKeyKinds = [
  'aes128-gcm',
  'aes256-gcm',
  'aes128-ctr',
  'aes256-ctr',
  'aes128-ofb',
  'aes256-ofb',
  'hmac-sha256',
  'otp-aes128',
  'otp-hmac-sha1',
  'otp-hmac-sha256',
  'otp-hmac-sha512',
] as const
export type SecretKeyKind = (typeof secretKeyKinds)[number]

/**
 * Kinds of key pairs; the private half is wrapped. What each means in the token is a row of `hsm/pkcs11/pair-kinds.ts`.
 */
export const keyPairKinds = ['ec-p256', 'ec-p384', 'ed25519', 'rsa-2048', 'rsa-3072', 'rsa-4096'] as const
export type KeyPairKind = (typeof keyPairKinds)[number]

export type KeyKind = SecretKeyKind | KeyPairKind
export const keyKinds: readonly KeyKind[] = [...secretKeyKinds, ...keyPairKinds]

/** The kind of key in the token for each key type of the interface. */
export const kindsOfTypes = {
  'aes128-gcm96': 'aes128-gcm',
  'aes256-gcm96': 'aes256-gcm',
  'aes128-ctr': 'aes128-ctr',
  'aes256-ctr': 'aes256-ctr',
  'aes128-ofb': 'aes128-ofb',
  'aes256-ofb': 'aes256-ofb',
  'hmac-sha256': 'hmac-sha256',
  'ecdsa-p256': 'ec-p256',
  'ecdsa-p384': 'ec-p384',
  ed25519: 'ed25519',
  'rsa-2048': 'rsa-2048',
  'rsa-3072': 'rsa-3072',
  'rsa-4096': 'rsa-4096',
} as const satisfies Readonly<Record<string, KeyKind>>

// A Map, so that a hostile name cannot reach Object.prototype.
const kindByType: ReadonlyMap<string, KeyKind> = new Map(Object.entries(kindsOfTypes))

/** Undefined for an unknown type. */
export function kindOfType(type: string): KeyKind | undefined {
  return kindByType.get(type)
}

/** Kinds whose keys only the key maker generates, because that takes up to seconds. */
export const rsaKinds = ['rsa-2048', 'rsa-3072', 'rsa-4096'] as const
export type RsaKind = (typeof rsaKinds)[number]

export function isRsaKind(kind: string): kind is RsaKind {
  return (rsaKinds as readonly string[]).includes(kind)
}

/** Kinds whose keys every token host generates. */
export const quickKinds: readonly KeyKind[] = keyKinds.filter((kind) => !isRsaKind(kind))

export function isKeyPairKind(kind: string): kind is KeyPairKind {
  return (keyPairKinds as readonly string[]).includes(kind)
}

/**
 * What the token lacks for keys of a kind, such as `AES_CTR`; undefined where it lacks nothing. SoftHSM2 can keep
 * Ed25519 keys as objects, but cannot wrap them.
 */
export interface KindSupport {
  /** To generate, wrap, unwrap and use such keys. */
  readonly wrapped: string | undefined
  /** To generate them as objects of the token (`createTokenObject`) and use them. */
  readonly tokenObject: string | undefined
}

/**
 * The key-encryption keys. A key under `strict` never leaves the token; under `exportable` are the keys that were
 * generated exportable. `backup` and `backup-exportable` wrap the backups of both.
 */
export type KekName = 'strict' | 'exportable' | 'backup' | 'backup-exportable'

/**
 * Stands in a record instead of a KEK's name for a key that is an object of the token; its blob is the object's CKA_ID.
 */
export const tokenObjectKek = 'token'

/** The same for the data key of a vault. */
export const vaultKek = 'vault'

export const hashes = ['sha256', 'sha384', 'sha512'] as const
export type Hash = (typeof hashes)[number]

export const paddings = ['pss', 'pkcs1v15'] as const
export type Padding = (typeof paddings)[number]

/** Parameters of a signature: `hash` for `ec-*` and `rsa-*`, the others for `rsa-*` only. */
export interface SignatureScheme {
  readonly hash: Hash
  /** `pss` (RFC 8017 §8.1, MGF1 with the same hash) unless given. */
  readonly padding?: Padding | undefined
  /** Salt of PSS; as long as the digest unless given. */
  readonly saltBytes?: number | undefined
}
