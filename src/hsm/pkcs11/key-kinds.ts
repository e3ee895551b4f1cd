import pkcs11, { type Mechanism } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { isKeyPairKind, type SecretKeyKind, secretKeyKinds } from '../key-kind.ts'
import { type Cipher, ctrCipher, gcmCipher, ofbCipher } from './aes-modes.ts'
import { aesKeyGen, keyWrap, paddedWrap, secretKeyGen } from './mechanisms.ts'
import { type KeyPairRow, keyPairRows } from './pair-kinds.ts'

/**
 * The operations that a secret key is allowed. Every attribute is written out, because the defaults of a token allow
 * nearly all of them.
 */
export interface Usage {
  readonly encrypt: boolean
  readonly decrypt: boolean
  readonly sign: boolean
  readonly wrap: boolean
  readonly unwrap: boolean
}

const nothing: Usage = { encrypt: false, decrypt: false, sign: false, wrap: false, unwrap: false }
const cipherOnly: Usage = { ...nothing, encrypt: true, decrypt: true }
const encryptOnly: Usage = { ...nothing, encrypt: true }
const decryptOnly: Usage = { ...nothing, decrypt: true }
export const signOnly: Usage = { ...nothing, sign: true }
export const wrapOnly: Usage = { ...nothing, wrap: true, unwrap: true }
export const unwrapOnly: Usage = { ...nothing, unwrap: true }

export interface SecretKeyRow {
  /** The operation of the port that takes such a key. */
  readonly serves: 'encrypt' | 'hmac' | 'otp-block' | 'otp-hmac'
  readonly keyType: number
  /**
   * Bytes of a key that the token generates, and least bytes of any key: a shorter HMAC secret is padded to this
   * length.
   */
  readonly bytes: number
  /** Most bytes of an imported secret. */
  readonly longestBytes: number
  readonly usage: Usage
  readonly mechanism: Mechanism
  readonly generation: Mechanism
  /** Bytes of the result, for HMACs. */
  readonly outputBytes: number
  /** Only for kinds that serve `encrypt`. */
  readonly cipher?: Cipher
}

const aes = { keyType: pkcs11.CKK_AES, generation: aesKeyGen, outputBytes: 0 } as const
const aes128 = { ...aes, serves: 'encrypt', bytes: 16, longestBytes: 16 } as const
const aes256 = { ...aes, serves: 'encrypt', bytes: 32, longestBytes: 32 } as const
const gcm = { usage: cipherOnly, mechanism: { mechanism: pkcs11.CKM_AES_GCM }, cipher: gcmCipher } as const
const ctr = { usage: cipherOnly, mechanism: { mechanism: pkcs11.CKM_AES_CTR }, cipher: ctrCipher } as const
// `ofbCipher` needs only CBC encryption. A key that may also decrypt CBC would allow more.
const ofb = { usage: encryptOnly, mechanism: { mechanism: pkcs11.CKM_AES_CBC }, cipher: ofbCipher } as const
const hmac = {
  serves: 'otp-hmac',
  keyType: pkcs11.CKK_GENERIC_SECRET,
  generation: secretKeyGen,
  usage: signOnly,
} as const

/**
 * The shortest HMAC key has the length of the digest, rounded up to a multiple of 8 bytes for key wrap (RFC 3394). The
 * longest has that of the hash's block. Up to there zeros at the end do not change an HMAC, since RFC 2104 §2 itself
 * pads with zeros; a longer key is hashed first.
 */
export const secretKeyRows: Readonly<Record<SecretKeyKind, SecretKeyRow>> = {
  'aes128-gcm': { ...aes128, ...gcm },
  'aes256-gcm': { ...aes256, ...gcm },
  'aes128-ctr': { ...aes128, ...ctr },
  'aes256-ctr': { ...aes256, ...ctr },
  'aes128-ofb': { ...aes128, ...ofb },
  'aes256-ofb': { ...aes256, ...ofb },
  'hmac-sha256': {
    ...hmac,
    serves: 'hmac',
    bytes: 32,
    longestBytes: 32,
    mechanism: { mechanism: pkcs11.CKM_SHA256_HMAC },
    outputBytes: 32,
  },
  // Only decryption: an attacker who takes over a host can check one-time passwords, but cannot make them.
  'otp-aes128': {
    ...aes,
    serves: 'otp-block',
    bytes: 16,
    longestBytes: 16,
    usage: decryptOnly,
    mechanism: { mechanism: pkcs11.CKM_AES_ECB },
  },
  'otp-hmac-sha1': {
    ...hmac,
    bytes: 24,
    longestBytes: 64,
    mechanism: { mechanism: pkcs11.CKM_SHA_1_HMAC },
    outputBytes: 20,
  },
  'otp-hmac-sha256': {
    ...hmac,
    bytes: 32,
    longestBytes: 64,
    mechanism: { mechanism: pkcs11.CKM_SHA256_HMAC },
    outputBytes: 32,
  },
  'otp-hmac-sha512': {
    ...hmac,
    bytes: 64,
    longestBytes: 128,
    mechanism: { mechanism: pkcs11.CKM_SHA512_HMAC },
    outputBytes: 64,
  },
}

function isSecretKeyKind(kind: string): kind is SecretKeyKind {
  return (secretKeyKinds as readonly string[]).includes(kind)
}

/**
 * Returns the bytes to import for a secret: the same bytes for AES, with zeros at the end for a short HMAC secret. They
 * are in a new buffer, which the caller zeroes.
 * @throws Fault `hsm.rejected` for a length that the kind does not allow
 */
export function importable(kind: SecretKeyKind, secret: Buffer): Buffer {
  const row = secretKeyRows[kind]
  const isHmac = row.serves === 'otp-hmac'
  if (secret.length > row.longestBytes || secret.length < (isHmac ? 1 : row.bytes)) {
    const range = isHmac ? `1 to ${row.longestBytes}` : `${row.bytes}`
    throw new Fault('hsm.rejected', `A secret of kind ${kind} has ${range} bytes, not ${secret.length}.`)
  }
  const padded = Buffer.alloc(Math.max(row.bytes, Math.ceil(secret.length / 8) * 8))
  secret.copy(padded)
  return padded
}

export type KeyRow = SecretKeyRow | KeyPairRow

/**
 * The row of the kind that a record names.
 * @throws Fault `hsm.rejected` for an unknown kind
 */
export function rowOf(kind: string): KeyRow {
  if (isSecretKeyKind(kind)) return secretKeyRows[kind]
  if (isKeyPairKind(kind)) return keyPairRows[kind]
  throw new Fault('hsm.rejected', `There is no kind of key ${kind}.`)
}

/**
 * The mechanism that wraps and unwraps keys of a kind: RFC 3394 for secret keys, which is the same in every token; RFC
 * 5649 for private keys, because PKCS#8 has any length.
 * @throws Fault `hsm.unsupported` where the token lacks RFC 5649
 */
export function unwrapMechanism(row: KeyRow, mechanisms: ReadonlySet<number>): Mechanism {
  return row.serves === 'sign' ? requirePaddedWrap(mechanisms) : keyWrap
}

export function requirePaddedWrap(mechanisms: ReadonlySet<number>): Mechanism {
  const mechanism = paddedWrap(mechanisms)
  if (mechanism === undefined)
    throw new Fault('hsm.unsupported', 'This needs AES_KEY_WRAP_KWP (RFC 5649), which this token lacks.')
  return mechanism
}
