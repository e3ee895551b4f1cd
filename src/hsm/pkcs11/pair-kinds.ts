import pkcs11, { type Mechanism, type Template } from 'pkcs11js'
import type { KeyPairKind } from '../key-kind.ts'
import { ecdsa, ecKeyPairGen, eddsa, edwardsKeyPairGen, rsaKeyPairGen, rsaPkcs } from './mechanisms.ts'

interface Row {
  readonly serves: 'sign'
  readonly keyType: number
  readonly generation: Mechanism
  readonly signing: Mechanism
  readonly signatureBytes: number
}

export interface CurveRow extends Row {
  readonly family: 'ecdsa' | 'eddsa'
  /** CKA_EC_PARAMS: the DER of the curve's OID. */
  readonly curve: Buffer
  /** SubjectPublicKeyInfo (RFC 5480 §2, RFC 8410 §4) up to the point. */
  readonly spkiPrefix: Buffer
  /** Bytes of a public point as the SPKI has it. */
  readonly pointBytes: number
}

export interface RsaRow extends Row {
  readonly family: 'rsa'
  readonly modulusBits: number
}

export type KeyPairRow = CurveRow | RsaRow

const weierstrass = { serves: 'sign', family: 'ecdsa', keyType: pkcs11.CKK_EC } as const
const rsa = { serves: 'sign', family: 'rsa', keyType: pkcs11.CKK_RSA } as const
const ckkEcEdwards = 0x40

export const p256 = Buffer.from('06082a8648ce3d030107', 'hex')

export const keyPairRows: Readonly<Record<KeyPairKind, KeyPairRow>> = {
  'ec-p256': {
    ...weierstrass,
    generation: ecKeyPairGen,
    signing: ecdsa,
    signatureBytes: 64,
    curve: p256,
    spkiPrefix: Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex'),
    pointBytes: 65,
  },
  'ec-p384': {
    ...weierstrass,
    generation: ecKeyPairGen,
    signing: ecdsa,
    signatureBytes: 96,
    curve: Buffer.from('06052b81040022', 'hex'),
    spkiPrefix: Buffer.from('3076301006072a8648ce3d020106052b81040022036200', 'hex'),
    pointBytes: 97,
  },
  ed25519: {
    serves: 'sign',
    family: 'eddsa',
    keyType: ckkEcEdwards,
    generation: edwardsKeyPairGen,
    signing: eddsa,
    signatureBytes: 64,
    curve: Buffer.from('06032b6570', 'hex'),
    spkiPrefix: Buffer.from('302a300506032b6570032100', 'hex'),
    pointBytes: 32,
  },
  'rsa-2048': { ...rsa, generation: rsaKeyPairGen, signing: rsaPkcs, modulusBits: 2048, signatureBytes: 256 },
  'rsa-3072': { ...rsa, generation: rsaKeyPairGen, signing: rsaPkcs, modulusBits: 3072, signatureBytes: 384 },
  'rsa-4096': { ...rsa, generation: rsaKeyPairGen, signing: rsaPkcs, modulusBits: 4096, signatureBytes: 512 },
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

const signOnly = privateUsage({ decrypt: false, sign: true, unwrap: false })

/** A private key as a session object: extractable at birth, until it is wrapped, and never afterwards. */
export function privateTemplate(row: KeyPairRow, extractable: boolean): Template {
  return [
    { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_PRIVATE_KEY },
    { type: pkcs11.CKA_KEY_TYPE, value: row.keyType },
    { type: pkcs11.CKA_TOKEN, value: false },
    { type: pkcs11.CKA_PRIVATE, value: true },
    { type: pkcs11.CKA_SENSITIVE, value: true },
    { type: pkcs11.CKA_EXTRACTABLE, value: extractable },
    ...signOnly,
  ]
}

/** A private key that stays in the token, beside what `lastingTemplate` says. */
export function tokenObjectPrivateTemplate(row: KeyPairRow): Template {
  return [
    { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_PRIVATE_KEY },
    { type: pkcs11.CKA_KEY_TYPE, value: row.keyType },
    ...signOnly,
  ]
}

/** Which pair the token is to make: attributes of its public half. */
export function parameters(row: KeyPairRow): Template {
  if (row.family !== 'rsa') return [{ type: pkcs11.CKA_EC_PARAMS, value: row.curve }]
  return [
    { type: pkcs11.CKA_MODULUS_BITS, value: row.modulusBits },
    { type: pkcs11.CKA_PUBLIC_EXPONENT, value: Buffer.from('010001', 'hex') },
  ]
}
