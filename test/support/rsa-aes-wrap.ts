import {
  constants,
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from 'node:crypto'
import type { KeyObject } from 'node:crypto'

const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' }
const padded = ['id-aes256-wrap-pad', Buffer.from('a65959a6', 'hex')] as const

/** CKM_RSA_AES_KEY_WRAP (PKCS#11 v2.40 §2.1.21) by OpenSSL, as a client does for `importKey`. */
export function rsaAesWrap(recipient: Buffer, value: Uint8Array): Buffer {
  const key = createPublicKey({ key: recipient, format: 'der', type: 'spki' })
  const outer = randomBytes(32)
  const cipher = createCipheriv(padded[0], outer, padded[1])
  return Buffer.concat([publicEncrypt({ key, ...oaep }, outer), cipher.update(value), cipher.final()])
}

/** Unwraps such a key, as the recipient of `exportKey` does. */
export function rsaAesUnwrap(key: KeyObject, wrapped: Buffer): Buffer {
  const modulusBytes = (key.asymmetricKeyDetails?.modulusLength ?? 0) / 8
  const outer = privateDecrypt({ key, ...oaep }, wrapped.subarray(0, modulusBytes))
  const decipher = createDecipheriv(padded[0], outer, padded[1])
  return Buffer.concat([decipher.update(wrapped.subarray(modulusBytes)), decipher.final()])
}
