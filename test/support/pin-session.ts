import { readFileSync } from 'node:fs'
import pkcs11, { type Mechanism, type PKCS11, type Template } from 'pkcs11js'
import type { TestToken } from './token.ts'

/** An attacker's session with the PIN, by the plain functions of the module. */
export interface PinSession {
  readonly lib: PKCS11
  readonly slot: Buffer
  readonly session: Buffer
  /** Every object that the session sees. */
  readonly objects: readonly SeenObject[]
  /** Every mechanism of the token. */
  readonly mechanisms: readonly number[]
  /** Runs `work` in a session that no earlier refusal has left unusable. Undefined where the token refused the call. */
  attempt<T>(work: (session: Buffer) => T): T | undefined
  unwrap(mechanism: Mechanism, key: Buffer, blob: Buffer, template: Template): Buffer | undefined
  /** CKA_VALUE; undefined where the token does not reveal it. */
  valueOf(object: Buffer): Buffer | undefined
}

export interface SeenObject {
  readonly handle: Buffer
  readonly label: string
  readonly objectClass: number
}

/** Opens the token in this process with its PIN, or as another user, during `work`. */
export function withPin<T>(
  token: Pick<TestToken, 'module' | 'softhsmConf' | 'pinFile'>,
  work: (pin: PinSession) => T,
  login: { readonly as?: number; readonly pin?: string } = {},
): T {
  process.env['SOFTHSM2_CONF'] = token.softhsmConf
  const lib = new pkcs11.PKCS11()
  lib.load(token.module)
  lib.C_Initialize({ flags: pkcs11.CKF_OS_LOCKING_OK })
  try {
    const slot = lib.C_GetSlotList(true).find((one) => lib.C_GetTokenInfo(one).flags & pkcs11.CKF_TOKEN_INITIALIZED)
    if (slot === undefined) throw new Error('no token')
    const session = openSession(lib, slot)
    lib.C_Login(session, login.as ?? pkcs11.CKU_USER, login.pin ?? readFileSync(token.pinFile, 'utf8'))
    const attempt = <R>(call: (fresh: Buffer) => R): R | undefined => {
      const fresh = openSession(lib, slot)
      try {
        return call(fresh)
      } catch {
        return undefined
      } finally {
        lib.C_CloseSession(fresh)
      }
    }
    return work({
      lib,
      slot,
      session,
      objects: find(lib, session).map((handle) => ({ handle, ...nameOf(lib, session, handle) })),
      mechanisms: lib.C_GetMechanismList(slot),
      attempt,
      // In the session that stays open, because the unwrapped key ends with its session.
      unwrap(mechanism, key, blob, template) {
        try {
          return lib.C_UnwrapKey(session, mechanism, key, blob, template)
        } catch {
          return undefined
        }
      },
      valueOf: (object) =>
        attempt((fresh) => lib.C_GetAttributeValue(fresh, object, [{ type: pkcs11.CKA_VALUE }])[0]?.value as Buffer),
    })
  } finally {
    lib.C_Finalize()
  }
}

function openSession(lib: PKCS11, slot: Buffer): Buffer {
  return lib.C_OpenSession(slot, pkcs11.CKF_SERIAL_SESSION | pkcs11.CKF_RW_SESSION)
}

function find(lib: PKCS11, session: Buffer): Buffer[] {
  lib.C_FindObjectsInit(session, [{ type: pkcs11.CKA_TOKEN, value: true }])
  const found = lib.C_FindObjects(session, 10_000)
  lib.C_FindObjectsFinal(session)
  return found
}

function nameOf(lib: PKCS11, session: Buffer, handle: Buffer): { label: string; objectClass: number } {
  const [label, objectClass] = lib.C_GetAttributeValue(session, handle, [
    { type: pkcs11.CKA_LABEL },
    { type: pkcs11.CKA_CLASS },
  ])
  return { label: String(label?.value), objectClass: Buffer.from(objectClass?.value ?? []).readUInt8() }
}
