import pkcs11, { type Mechanism } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { gcm, gcmIvBytes, gcmTagBytes } from './mechanisms.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'

/** How a kind of key encrypts: the sizes around its ciphertext and the calls of the token. */
export interface Cipher {
  readonly ivBytes: number
  /** 0 where nothing authenticates the ciphertext. */
  readonly tagBytes: number
  /** Fills `output`, as long as plaintext and tag, whole. */
  encrypt(session: Pkcs11Session, key: KeyHandle, iv: Buffer, data: Buffer, aad: Buffer, output: Buffer): Buffer
  /** The plaintext, in `output` or memory of its own; `data` is ciphertext and tag. */
  decrypt(session: Pkcs11Session, key: KeyHandle, iv: Buffer, data: Buffer, aad: Buffer, output: Buffer): Buffer
}

const blockBytes = 16

export const gcmCipher: Cipher = {
  ivBytes: gcmIvBytes,
  tagBytes: gcmTagBytes,
  encrypt: (session, key, iv, data, aad, output) => session.encrypt(gcm(iv, aad), key, data, output),
  decrypt: (session, key, iv, data, aad, output) => session.decrypt(gcm(iv, aad), key, data, output),
}

export const ctrCipher: Cipher = {
  ivBytes: blockBytes,
  tagBytes: 0,
  encrypt(session, key, iv, data, aad, output) {
    refuseAad(aad)
    return data.length === 0 ? data : session.encrypt(ctr(iv), key, data, output)
  },
  decrypt(session, key, iv, data, aad, output) {
    refuseAad(aad)
    return data.length === 0 ? data : session.decrypt(ctr(iv), key, data, output)
  },
}

/**
 * No token at hand has CKM_AES_OFB. Its keystream is AES-CBC of zeros under the same IV (each block then encrypts the
 * one before it: NIST SP 800-38A §6.2 with P = 0 is §6.4), made in the token in one call and XORed here. So both
 * directions encrypt.
 */
export const ofbCipher: Cipher = {
  ivBytes: blockBytes,
  tagBytes: 0,
  encrypt: ofb,
  decrypt: ofb,
}

function ofb(session: Pkcs11Session, key: KeyHandle, iv: Buffer, data: Buffer, aad: Buffer, output: Buffer): Buffer {
  refuseAad(aad)
  if (data.length === 0) return data
  const zeros = Buffer.alloc(Math.ceil(data.length / blockBytes) * blockBytes)
  const mechanism = { mechanism: pkcs11.CKM_AES_CBC, parameter: iv }
  const keystream = session.encrypt(mechanism, key, zeros, Buffer.allocUnsafe(zeros.length))
  if (keystream.length !== zeros.length) throw new Fault('hsm.unavailable', 'The token encrypted to a wrong length.')
  for (let at = 0; at < data.length; at++) output[at] = (data[at] ?? 0) ^ (keystream[at] ?? 0)
  keystream.fill(0)
  return output
}

function refuseAad(aad: Buffer): void {
  if (aad.length > 0) throw new Fault('hsm.rejected', 'Only AES-GCM binds additional data: leave aad out.')
}

const counterBits = 128n

/**
 * CK_AES_CTR_PARAMS: CK_ULONG ulCounterBits, CK_BYTE cb[16]; pkcs11js knows no such parameter, but passes bytes as they
 * are.
 */
function ctr(iv: Buffer): Mechanism {
  const parameter = Buffer.alloc(8 + blockBytes)
  parameter.writeBigUInt64LE(counterBits)
  iv.copy(parameter, 8)
  return { mechanism: pkcs11.CKM_AES_CTR, parameter }
}
