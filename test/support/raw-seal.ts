import { readFileSync } from 'node:fs'
import pkcs11 from 'pkcs11js'
import type { TestToken } from './token.ts'

type SealToken = Pick<TestToken, 'module' | 'softhsmConf' | 'pinFile'>

/** HMAC-SHA-256 of any bytes by the token's seal key, as anyone with module and PIN can make it. */
export function rawSeal(token: SealToken, record: Uint8Array): Buffer {
  return hmacBy(token, 'strongroom.seal.', record).seal
}

/** The same by the newest backup seal, with its name. */
export function rawBackupSeal(token: SealToken, content: Uint8Array): { readonly name: string; readonly seal: Buffer } {
  return hmacBy(token, 'strongroom.backup-seal.', content)
}

/** HMAC-SHA-256 by the newest key whose label begins with `prefix`. */
function hmacBy(token: SealToken, prefix: string, bytes: Uint8Array): { readonly name: string; readonly seal: Buffer } {
  process.env['SOFTHSM2_CONF'] = token.softhsmConf
  const lib = new pkcs11.PKCS11()
  lib.load(token.module)
  try {
    lib.C_Initialize({ flags: pkcs11.CKF_OS_LOCKING_OK })
    const slot = lib.C_GetSlotList(true).find((one) => lib.C_GetTokenInfo(one).label.trim() === 'strongroom')
    if (slot === undefined) throw new Error('the token is not there')
    const session = lib.C_OpenSession(slot, pkcs11.CKF_SERIAL_SESSION)
    lib.C_Login(session, pkcs11.CKU_USER, readFileSync(token.pinFile, 'utf8').trim())
    // CKA_TOKEN excludes objects that another process is making, which reading their attributes would damage
    // (`listObjects`).
    lib.C_FindObjectsInit(session, [
      { type: pkcs11.CKA_TOKEN, value: true },
      { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_SECRET_KEY },
    ])
    const [newest] = lib
      .C_FindObjects(session, 10_000)
      .map((key) => ({ key, label: labelOf(lib, session, key) }))
      .filter(({ label }) => label.startsWith(prefix))
      .toSorted((a, b) => versionOf(b.label) - versionOf(a.label))
    lib.C_FindObjectsFinal(session)
    if (newest === undefined) throw new Error(`the token has no ${prefix}`)
    lib.C_SignInit(session, { mechanism: pkcs11.CKM_SHA256_HMAC }, newest.key)
    const seal = lib.C_Sign(session, Buffer.from(bytes), Buffer.alloc(32))
    return { name: newest.label.slice('strongroom.'.length), seal }
  } finally {
    lib.C_Finalize()
    lib.close()
  }
}

/** The label; empty for an object that was destroyed meanwhile. */
function labelOf(lib: pkcs11.PKCS11, session: Buffer, key: Buffer): string {
  try {
    return String(lib.C_GetAttributeValue(session, key, [{ type: pkcs11.CKA_LABEL }])[0]?.value)
  } catch {
    return ''
  }
}

const versionOf = (label: string): number => Number(/\.v(\d+)$/.exec(label)?.[1])
