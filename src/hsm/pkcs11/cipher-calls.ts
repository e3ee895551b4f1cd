import { randomFillSync } from 'node:crypto'
import { Fault } from '../../fault.ts'
import type { SecretKeyRow } from './key-kinds.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'

/**
 * Encrypts. Returns IV ‖ ciphertext ‖ tag. The IV comes from this process: random bytes from the token would be no
 * better and cost a call.
 */
export function encryptWith(
  session: Pkcs11Session,
  key: KeyHandle,
  row: SecretKeyRow,
  plaintext: Buffer,
  aad: Buffer,
): Buffer {
  const cipher = cipherOf(row)
  const ciphertext = Buffer.allocUnsafe(cipher.ivBytes + plaintext.length + cipher.tagBytes)
  const iv = drawIv(ciphertext.subarray(0, cipher.ivBytes))
  const output = cipher.encrypt(session, key, iv, plaintext, aad, ciphertext.subarray(cipher.ivBytes))
  // With any other length the end of the buffer would be uninitialized memory.
  if (output.length !== plaintext.length + cipher.tagBytes)
    throw new Fault('hsm.unavailable', 'The token encrypted to a wrong length.')
  return ciphertext
}

export function decryptWith(
  session: Pkcs11Session,
  key: KeyHandle,
  row: SecretKeyRow,
  ciphertext: Buffer,
  aad: Buffer,
): Buffer {
  const cipher = cipherOf(row)
  if (ciphertext.length < cipher.ivBytes + cipher.tagBytes)
    throw new Fault('hsm.rejected', 'The ciphertext is too short.')
  const body = ciphertext.subarray(cipher.ivBytes)
  const iv = ciphertext.subarray(0, cipher.ivBytes)
  return cipher.decrypt(session, key, iv, body, aad, Buffer.allocUnsafe(body.length))
}

function cipherOf(row: SecretKeyRow) {
  if (row.cipher === undefined) throw new Fault('hsm.rejected', 'A key of this kind does not encrypt.')
  return row.cipher
}

// One call of the random generator costs a fifth of an encryption of 64 bytes, and hardly more for many IVs than for
// one.
const ivPool = Buffer.alloc(4096)
let usedBytes = ivPool.length

/** Fills `iv` with random bytes, each of which is given out once. */
function drawIv(iv: Buffer): Buffer {
  if (usedBytes + iv.length > ivPool.length) {
    randomFillSync(ivPool)
    usedBytes = 0
  }
  ivPool.copy(iv, 0, usedBytes, usedBytes + iv.length)
  usedBytes += iv.length
  return iv
}
