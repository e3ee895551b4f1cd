import { Fault } from '../../fault.ts'
import { drawIv } from './iv-pool.ts'
import type { KeyKindRow } from './key-kinds.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'

/** IV ‖ ciphertext ‖ tag, with an IV drawn here: the token draws 12 bytes no better, at the cost of a call. */
export function encryptWith(
  session: Pkcs11Session,
  key: KeyHandle,
  row: KeyKindRow,
  plaintext: Buffer,
  aad: Buffer,
): Buffer {
  const cipher = cipherOf(row)
  const sealedText = Buffer.allocUnsafe(cipher.ivBytes + plaintext.length + cipher.tagBytes)
  const iv = drawIv(sealedText.subarray(0, cipher.ivBytes))
  const output = cipher.encrypt(session, key, iv, plaintext, aad, sealedText.subarray(cipher.ivBytes))
  // Anything but this length would leave foreign memory at the end.
  if (output.length !== plaintext.length + cipher.tagBytes)
    throw new Fault('hsm.unavailable', 'The token encrypted to a wrong length.')
  return sealedText
}

export function decryptWith(
  session: Pkcs11Session,
  key: KeyHandle,
  row: KeyKindRow,
  sealedText: Buffer,
  aad: Buffer,
): Buffer {
  const cipher = cipherOf(row)
  if (sealedText.length < cipher.ivBytes + cipher.tagBytes)
    throw new Fault('hsm.rejected', 'The ciphertext is too short.')
  const ciphertext = sealedText.subarray(cipher.ivBytes)
  const iv = sealedText.subarray(0, cipher.ivBytes)
  return cipher.decrypt(session, key, iv, ciphertext, aad, Buffer.allocUnsafe(ciphertext.length))
}

function cipherOf(row: KeyKindRow) {
  if (row.cipher === undefined) throw new Fault('hsm.rejected', 'A key of this kind does not encrypt.')
  return row.cipher
}
