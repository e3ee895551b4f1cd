import pkcs11, { type PKCS11 } from 'pkcs11js'
import type { TestToken } from './token.ts'
import { withPin } from './pin-session.ts'

type OpenToken = Pick<TestToken, 'module' | 'softhsmConf' | 'pinFile'>

/** What the key of a vault encrypted in any name (IV ‖ ciphertext ‖ tag), as whoever has module and PIN can open it. */
export function openByVaultKey(token: OpenToken, keyId: Buffer, ciphertext: Buffer, aad: Buffer): Buffer {
  const iv = ciphertext.subarray(0, 12)
  return withPin(token, ({ lib, session }) => {
    const parameter = { type: pkcs11.CK_PARAMS_AES_GCM_v240, iv, aad, ivBits: 96, tagBits: 128 }
    lib.C_DecryptInit(session, { mechanism: pkcs11.CKM_AES_GCM, parameter }, vaultKey(lib, session, keyId))
    return lib.C_Decrypt(session, ciphertext.subarray(12), Buffer.alloc(ciphertext.length))
  })
}

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
