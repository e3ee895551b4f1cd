import pkcs11, { type Template } from 'pkcs11js'
import type { KeyRow, SecretKeyRow, Usage } from './key-kinds.ts'
import type { KeyPairRow } from './pair-kinds.ts'

// Every usage bit is written out, because the defaults of a token allow nearly all of them.

export function usageAttributes(usage: Usage): Template {
  return [
    { type: pkcs11.CKA_ENCRYPT, value: usage.encrypt },
    { type: pkcs11.CKA_DECRYPT, value: usage.decrypt },
    { type: pkcs11.CKA_SIGN, value: usage.sign },
    { type: pkcs11.CKA_VERIFY, value: false },
    { type: pkcs11.CKA_WRAP, value: usage.wrap },
    { type: pkcs11.CKA_UNWRAP, value: usage.unwrap },
    { type: pkcs11.CKA_DERIVE, value: false },
  ]
}

/** An unwrapped key as a session object: sensitive, and not extractable. */
export function unwrappedTemplate(row: SecretKeyRow): Template {
  return [...sessionSecret(row.keyType), { type: pkcs11.CKA_EXTRACTABLE, value: false }, ...usageAttributes(row.usage)]
}

/** A key that exists only until it is wrapped, and is extractable for that purpose. */
export function extractableTemplate(row: SecretKeyRow): Template {
  return [...sessionSecret(row.keyType), { type: pkcs11.CKA_EXTRACTABLE, value: true }, ...usageAttributes(row.usage)]
}

/** The template of a key that the token generates. */
export function generatedTemplate(row: SecretKeyRow): Template {
  return [...extractableTemplate(row), { type: pkcs11.CKA_VALUE_LEN, value: row.bytes }]
}

/** The template of an imported secret. */
export function importedTemplate(row: SecretKeyRow, value: Buffer): Template {
  return [...extractableTemplate(row), { type: pkcs11.CKA_VALUE, value }]
}

/** Attributes of a secret key that stays in the token, in addition to `lastingTemplate`. */
export function tokenObjectTemplate(row: SecretKeyRow): Template {
  return [
    { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_SECRET_KEY },
    { type: pkcs11.CKA_KEY_TYPE, value: row.keyType },
    { type: pkcs11.CKA_VALUE_LEN, value: row.bytes },
    ...usageAttributes(row.usage),
  ]
}

/** An AES-256 session key that wraps or unwraps others and is destroyed after that. */
export function transientWrapKeyTemplate(usage: Usage, attributes: Template = []): Template {
  return [
    ...sessionSecret(pkcs11.CKK_AES),
    { type: pkcs11.CKA_EXTRACTABLE, value: usage.wrap },
    ...usageAttributes(usage),
    ...attributes,
  ]
}

const sessionSecret = (keyType: number): Template => sessionKey(pkcs11.CKO_SECRET_KEY, keyType)
const sessionPrivate = (keyType: number): Template => sessionKey(pkcs11.CKO_PRIVATE_KEY, keyType)

function sessionKey(objectClass: number, keyType: number): Template {
  return [
    { type: pkcs11.CKA_CLASS, value: objectClass },
    { type: pkcs11.CKA_KEY_TYPE, value: keyType },
    { type: pkcs11.CKA_TOKEN, value: false },
    { type: pkcs11.CKA_PRIVATE, value: true },
    { type: pkcs11.CKA_SENSITIVE, value: true },
  ]
}

/** An imported key as a session object, which exists until it is wrapped. */
export function transientTemplate(row: KeyRow): Template {
  return row.serves === 'sign' ? privateTemplate(row, true) : extractableTemplate(row)
}

/** Usage bits of a private key, all written out. */
export function privateUsage(usage: { decrypt: boolean; sign: boolean; unwrap: boolean }): Template {
  return [
    { type: pkcs11.CKA_DECRYPT, value: usage.decrypt },
    { type: pkcs11.CKA_SIGN, value: usage.sign },
    { type: pkcs11.CKA_SIGN_RECOVER, value: false },
    { type: pkcs11.CKA_UNWRAP, value: usage.unwrap },
    { type: pkcs11.CKA_DERIVE, value: false },
  ]
}

const privateSignOnly = privateUsage({ decrypt: false, sign: true, unwrap: false })

/** A private key as a session object: extractable until it is wrapped, and never afterwards. */
export function privateTemplate(row: KeyPairRow, extractable: boolean): Template {
  return [...sessionPrivate(row.keyType), { type: pkcs11.CKA_EXTRACTABLE, value: extractable }, ...privateSignOnly]
}

/** A private key as a session object that can only unwrap keys wrapped for its public half. */
export function unwrappingTemplate(row: KeyPairRow): Template {
  return [
    ...sessionPrivate(row.keyType),
    { type: pkcs11.CKA_EXTRACTABLE, value: false },
    ...privateUsage({ decrypt: false, sign: false, unwrap: true }),
  ]
}

/** Attributes of a private key that stays in the token, in addition to `lastingTemplate`. */
export function tokenObjectPrivateTemplate(row: KeyPairRow): Template {
  return [
    { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_PRIVATE_KEY },
    { type: pkcs11.CKA_KEY_TYPE, value: row.keyType },
    ...privateSignOnly,
  ]
}

/** Attributes of the public half that choose the size or curve of a new pair. */
function pairParameters(row: KeyPairRow): Template {
  if (row.family !== 'rsa') return [{ type: pkcs11.CKA_EC_PARAMS, value: row.curve }]
  return [
    { type: pkcs11.CKA_MODULUS_BITS, value: row.modulusBits },
    { type: pkcs11.CKA_PUBLIC_EXPONENT, value: Buffer.from('010001', 'hex') },
  ]
}

/** The public half of a new pair: a session object that is read and destroyed at once. */
export function generatedPublicTemplate(row: KeyPairRow): Template {
  return [...sessionPublic({ verify: true, wrap: false }), ...pairParameters(row)]
}

/** Attributes of a public key as a session object. */
export function sessionPublic(usage: { verify: boolean; wrap: boolean }): Template {
  return [
    { type: pkcs11.CKA_TOKEN, value: false },
    { type: pkcs11.CKA_PRIVATE, value: false },
    { type: pkcs11.CKA_ENCRYPT, value: false },
    { type: pkcs11.CKA_VERIFY, value: usage.verify },
    { type: pkcs11.CKA_WRAP, value: usage.wrap },
  ]
}
