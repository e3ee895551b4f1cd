import { readFileSync } from 'node:fs'
import pkcs11 from 'pkcs11js'
import type { TestToken } from './token.ts'

/** The HMAC-SHA-256 of the token's seal key over any bytes, as whoever has module and PIN can make it. */
export function rawSeal(token: Pick<TestToken, 'module' | 'softhsmConf' | 'pinFile'>, record: Uint8Array): Buffer {
  process.env['SOFTHSM2_CONF'] = token.softhsmConf
  const lib = new pkcs11.PKCS11()
  lib.load(token.module)
  try {
    lib.C_Initialize({ flags: pkcs11.CKF_OS_LOCKING_OK })
    const slot = lib.C_GetSlotList(true).find((one) => lib.C_GetTokenInfo(one).label.trim() === 'strongroom')
    if (slot === undefined) throw new Error('the token is not there')
    const session = lib.C_OpenSession(slot, pkcs11.CKF_SERIAL_SESSION)
    lib.C_Login(session, pkcs11.CKU_USER, readFileSync(token.pinFile, 'utf8').trim())
    lib.C_FindObjectsInit(session, [
      { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_SECRET_KEY },
      { type: pkcs11.CKA_LABEL, value: 'strongroom.seal.v1' },
    ])
    const [key] = lib.C_FindObjects(session, 2)
    lib.C_FindObjectsFinal(session)
    if (key === undefined) throw new Error('the token has no seal key')
    lib.C_SignInit(session, { mechanism: pkcs11.CKM_SHA256_HMAC }, key)
    return lib.C_Sign(session, Buffer.from(record), Buffer.alloc(32))
  } finally {
    lib.C_Finalize()
    lib.close()
  }
}
