import { createHmac, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import pkcs11 from 'pkcs11js'
import { jwkOf } from './jwk.ts'
import { withPin } from './pin-session.ts'
import type { TestToken } from './token.ts'

/** A root key whose value the test knows, like an attacker who took over a host with SoftHSM2. */
export interface StolenKey {
  /** HMAC-SHA-256 by the key. */
  hmac(bytes: Uint8Array): Buffer
}

/** Replaces the first version of this root key by a key of known value with the same attributes. */
export function steal(token: TestToken, role: 'seal' | 'pepper'): StolenKey {
  const value = randomBytes(32)
  const label = `strongroom.${role}.v1`
  withPin(token, ({ lib, session, objects }) => {
    for (const one of objects) if (one.label === label) lib.C_DestroyObject(session, one.handle)
    lib.C_CreateObject(session, [
      { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_SECRET_KEY },
      { type: pkcs11.CKA_KEY_TYPE, value: pkcs11.CKK_GENERIC_SECRET },
      { type: pkcs11.CKA_VALUE, value },
      { type: pkcs11.CKA_TOKEN, value: true },
      { type: pkcs11.CKA_PRIVATE, value: true },
      { type: pkcs11.CKA_SENSITIVE, value: true },
      { type: pkcs11.CKA_EXTRACTABLE, value: false },
      { type: pkcs11.CKA_SIGN, value: true },
      { type: pkcs11.CKA_LABEL, value: label },
      { type: pkcs11.CKA_ID, value: Buffer.from(label) },
    ])
  })
  return { hmac: (bytes) => createHmac('sha256', value).update(bytes).digest() }
}

/** Replaces the audit key by a pair whose private half the test knows. */
export function stealAuditKey(token: TestToken): KeyObject {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { d = '', x = '', y = '' } = jwkOf(privateKey)
  const point = Buffer.concat([Buffer.from('044104', 'hex'), ...[x, y].map((part) => Buffer.from(part, 'base64url'))])
  const label = 'strongroom.audit.v1'
  const common = [
    { type: pkcs11.CKA_KEY_TYPE, value: pkcs11.CKK_EC },
    { type: pkcs11.CKA_EC_PARAMS, value: Buffer.from('06082a8648ce3d030107', 'hex') },
    { type: pkcs11.CKA_TOKEN, value: true },
    { type: pkcs11.CKA_LABEL, value: label },
    { type: pkcs11.CKA_ID, value: Buffer.from(label) },
  ]
  withPin(token, ({ lib, session, objects }) => {
    for (const one of objects) if (one.label === label) lib.C_DestroyObject(session, one.handle)
    lib.C_CreateObject(session, [
      { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_PUBLIC_KEY },
      { type: pkcs11.CKA_PRIVATE, value: false },
      { type: pkcs11.CKA_EC_POINT, value: point },
      { type: pkcs11.CKA_VERIFY, value: true },
      ...common,
    ])
    lib.C_CreateObject(session, [
      { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_PRIVATE_KEY },
      { type: pkcs11.CKA_PRIVATE, value: true },
      { type: pkcs11.CKA_SENSITIVE, value: true },
      { type: pkcs11.CKA_EXTRACTABLE, value: false },
      { type: pkcs11.CKA_VALUE, value: Buffer.from(d, 'base64url') },
      { type: pkcs11.CKA_SIGN, value: true },
      ...common,
    ])
  })
  return privateKey
}
