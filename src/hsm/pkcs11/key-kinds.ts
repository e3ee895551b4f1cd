import pkcs11, { type Mechanism, type Template } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { type SecretKeyKind, secretKeyKinds } from '../key-kind.ts'
import { type Cipher, ctrCipher, gcmCipher, ofbCipher } from './ciphers.ts'
import { aesKeyGen, secretKeyGen } from './mechanisms.ts'

/** What a secret key may do; every attribute is written out, because a token's defaults allow nearly everything. */
export interface Usage {
  readonly encrypt: boolean
  readonly decrypt: boolean
  readonly sign: boolean
  readonly wrap: boolean
  readonly unwrap: boolean
}

const nothing: Usage = { encrypt: false, decrypt: false, sign: false, wrap: false, unwrap: false }
export const cipherOnly: Usage = { ...nothing, encrypt: true, decrypt: true }
export const encryptOnly: Usage = { ...nothing, encrypt: true }
export const decryptOnly: Usage = { ...nothing, decrypt: true }
export const signOnly: Usage = { ...nothing, sign: true }
export const wrapOnly: Usage = { ...nothing, wrap: true, unwrap: true }
export const unwrapOnly: Usage = { ...nothing, unwrap: true }

export function usageAttributes(usage: Usage): Template {
  return [
    { type: pkcs11.CKA_ENCRYPT, value: usage.encrypt },
    { type: pkcs11.CKA_DECRYPT, value: usage.decrypt },
    { type: pkcs11.CKA_SIGN, value: usage.sign },
    { type: pkcs11.CKA_VERIFY, value: false },
    { type: pkcs11.CKA_WRAP, value: usage.wrap },
    { type: pkcs11.CKA_UNWRAP, value: usage.unwrap },
    { type: pkcs11.CKA_DERIVE, value: false },
  ]
}

export interface SecretKeyRow {
  /** The operation of the port that takes such a key. */
  readonly serves: 'encrypt' | 'hmac' | 'otp-block' | 'otp-hmac'
  readonly keyType: number
  /** Bytes of a key that the token makes, and fewest bytes of any: a shorter HMAC secret is padded to it. */
  readonly bytes: number
  /** Most bytes of an imported secret. */
  readonly longestBytes: number
  readonly usage: Usage
  readonly mechanism: Mechanism
  readonly generation: Mechanism
  /** Bytes of what the mechanism gives back, for HMACs. */
  readonly outputBytes: number
  /** Of kinds that serve `encrypt`. */
  readonly cipher?: Cipher
}

const aes = { keyType: pkcs11.CKK_AES, generation: aesKeyGen, outputBytes: 0 } as const
const aes128 = { ...aes, serves: 'encrypt', bytes: 16, longestBytes: 16 } as const
const aes256 = { ...aes, serves: 'encrypt', bytes: 32, longestBytes: 32 } as const
const gcm = { usage: cipherOnly, mechanism: { mechanism: pkcs11.CKM_AES_GCM }, cipher: gcmCipher } as const
const ctr = { usage: cipherOnly, mechanism: { mechanism: pkcs11.CKM_AES_CTR }, cipher: ctrCipher } as const
// Made of CBC encryption alone: a key that may decrypt CBC would be good for more.
const ofb = { usage: encryptOnly, mechanism: { mechanism: pkcs11.CKM_AES_CBC }, cipher: ofbCipher } as const
const hmac = {
  serves: 'otp-hmac',
  keyType: pkcs11.CKK_GENERIC_SECRET,
  generation: secretKeyGen,
  usage: signOnly,
} as const

/**
 * Lengths of HMAC keys are the digest's, rounded up to the 8 bytes that key wrap works in (RFC 3394), up to the hash's block:
 * up to there zeros at the end do not change an HMAC (RFC 2104 §2 pads with zeros itself), beyond it the key is hashed first.
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
  // Decrypt alone: whoever takes over a host can check one-time passwords, but cannot make them.
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

export function isSecretKeyKind(kind: string): kind is SecretKeyKind {
  return (secretKeyKinds as readonly string[]).includes(kind)
}

/** A session object that holds an unwrapped key: readable by nobody, not to be wrapped again. */
export function unwrappedTemplate(row: SecretKeyRow): Template {
  return [...sessionSecret(row.keyType), { type: pkcs11.CKA_EXTRACTABLE, value: false }, ...usageAttributes(row.usage)]
}

/** A key that exists only until it is wrapped, and has to be extractable for that. */
export function extractableTemplate(row: SecretKeyRow): Template {
  return [...sessionSecret(row.keyType), { type: pkcs11.CKA_EXTRACTABLE, value: true }, ...usageAttributes(row.usage)]
}

/** A key at birth. */
export function generatedTemplate(row: SecretKeyRow): Template {
  return [...extractableTemplate(row), { type: pkcs11.CKA_VALUE_LEN, value: row.bytes }]
}

/** A secret that comes from outside. */
export function importedTemplate(row: SecretKeyRow, value: Buffer): Template {
  return [...extractableTemplate(row), { type: pkcs11.CKA_VALUE, value }]
}

/** A key that stays in the token, beside what `lastingTemplate` says. */
export function tokenObjectTemplate(row: SecretKeyRow): Template {
  return [
    { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_SECRET_KEY },
    { type: pkcs11.CKA_KEY_TYPE, value: row.keyType },
    { type: pkcs11.CKA_VALUE_LEN, value: row.bytes },
    ...usageAttributes(row.usage),
  ]
}

/** An AES-256 session key that wraps or unwraps others and is destroyed after that. */
export function transientWrapKeyTemplate(usage: Usage, attributes: Template = []): Template {
  return [
    ...sessionSecret(pkcs11.CKK_AES),
    { type: pkcs11.CKA_EXTRACTABLE, value: usage.wrap },
    ...usageAttributes(usage),
    ...attributes,
  ]
}

function sessionSecret(keyType: number): Template {
  return [
    { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_SECRET_KEY },
    { type: pkcs11.CKA_KEY_TYPE, value: keyType },
    { type: pkcs11.CKA_TOKEN, value: false },
    { type: pkcs11.CKA_PRIVATE, value: true },
    { type: pkcs11.CKA_SENSITIVE, value: true },
  ]
}

/**
 * The bytes to import for a secret: as they are for AES, with zeros at the end for a short HMAC secret. A buffer of its own,
 * which the caller zeroes. Throws `hsm.rejected` for a length that the kind does not have.
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
