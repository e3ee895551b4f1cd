import pkcs11, { type Mechanism } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { gcm, gcmIvBytes, gcmTagBytes } from './mechanisms.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'

/** How keys of one kind encrypt: the sizes of IV and tag, and the calls of the token. */
export interface Cipher {
  readonly ivBytes: number
  /** 0 for modes without authentication. */
  readonly tagBytes: number
  /** Encrypts into `output`, which has the length of plaintext and tag, and returns what the token wrote. */
  encrypt(session: Pkcs11Session, key: KeyHandle, iv: Buffer, data: Buffer, aad: Buffer, output: Buffer): Buffer
  /** Decrypts `data`, which is ciphertext ‖ tag. Returns the plaintext, in `output` or in a buffer of its own. */
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
 * AES-OFB, since no token known to us has CKM_AES_OFB. Its keystream is the AES-CBC encryption of zeros under the same
 * IV, in which each block encrypts the one before it (NIST SP 800-38A: §6.2 with a zero plaintext equals §6.4). The
 * token computes it in one call, and it is XORed here. So both directions encrypt.
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
 * CK_AES_CTR_PARAMS: CK_ULONG ulCounterBits, CK_BYTE cb[16]. pkcs11js has no type for this parameter, but passes a
 * buffer through unchanged.
 */
function ctr(iv: Buffer): Mechanism {
  const parameter = Buffer.alloc(8 + blockBytes)
  parameter.writeBigUInt64LE(counterBits)
  iv.copy(parameter, 8)
  return { mechanism: pkcs11.CKM_AES_CTR, parameter }
}
