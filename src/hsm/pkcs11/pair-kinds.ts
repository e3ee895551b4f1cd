import pkcs11, { type Mechanism } from 'pkcs11js'
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
  /** CKA_EC_PARAMS: DER of the curve's OID. */
  readonly curve: Buffer
  /** The bytes of a SubjectPublicKeyInfo before the point (RFC 5480 §2, RFC 8410 §4). */
  readonly spkiPrefix: Buffer
  /** Bytes of a public point in a SubjectPublicKeyInfo. */
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
