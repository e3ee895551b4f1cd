import { randomBytes } from 'node:crypto'
import pkcs11, { type PKCS11 } from 'pkcs11js'
import type { TestToken } from './token.ts'
import { withPin } from './pin-session.ts'

type OpenToken = Pick<TestToken, 'module' | 'softhsmConf' | 'pinFile'>

/**
 * Decrypts a ciphertext of the key of a vault (IV ‖ ciphertext ‖ tag) with any aad, as anyone with module and PIN can.
 */
export function openByVaultKey(token: OpenToken, keyId: Buffer, ciphertext: Buffer, aad: Buffer): Buffer {
  return withPin(token, ({ lib, session }) => {
    lib.C_DecryptInit(session, gcm(ciphertext.subarray(0, 12), aad), vaultKey(lib, session, keyId))
    return lib.C_Decrypt(session, ciphertext.subarray(12), Buffer.alloc(ciphertext.length))
  })
}

/** Encrypts a short plaintext likewise. */
export function sealByVaultKey(token: OpenToken, keyId: Buffer, plaintext: Buffer, aad: Buffer): Buffer {
  const iv = randomBytes(12)
  return withPin(token, ({ lib, session }) => {
    lib.C_EncryptInit(session, gcm(iv, aad), vaultKey(lib, session, keyId))
    return Buffer.concat([iv, lib.C_Encrypt(session, plaintext, Buffer.alloc(plaintext.length + 16))])
  })
}

const gcm = (iv: Buffer, aad: Buffer) => ({
  mechanism: pkcs11.CKM_AES_GCM,
  parameter: { type: pkcs11.CK_PARAMS_AES_GCM_v240, iv, aad, ivBits: 96, tagBits: 128 },
})

function vaultKey(lib: PKCS11, session: Buffer, id: Buffer): Buffer {
  lib.C_FindObjectsInit(session, [
    { type: pkcs11.CKA_LABEL, value: 'strongroom.vault' },
    { type: pkcs11.CKA_ID, value: id },
  ])
  const [found] = lib.C_FindObjects(session, 1)
  lib.C_FindObjectsFinal(session)
  if (found === undefined) throw new Error(`the token has no key ${id.toString('hex')} of a vault`)
  return found
}
