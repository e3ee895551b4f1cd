import pkcs11, { type Template } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import type { GeneratedPair, PairKind } from '../hsm.ts'
import { ecKeyPairGen, paddedWrap } from './mechanisms.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import type { Token } from './token.ts'

/** The curve P-256 as CKA_EC_PARAMS: the DER of OID 1.2.840.10045.3.1.7. */
export const p256 = Buffer.from('06082a8648ce3d030107', 'hex')

// SubjectPublicKeyInfo of a P-256 key (RFC 5480 §2) up to its 65 bytes of point.
const spkiPrefix = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex')
const pointBytes = 65

/** A pair made in the token whose private key leaves it wrapped (RFC 5649, because PKCS#8 has any length) under the strict KEK. */
export function generatePair(token: Token, kind: PairKind): GeneratedPair {
  if (kind !== 'ec-p256') throw new Fault('hsm.unsupported', `Pairs of kind ${kind} are not made.`)
  return token.run(({ keeper, roots, mechanisms }) => {
    const mechanism = paddedWrap(mechanisms)
    if (mechanism === undefined)
      throw new Fault('hsm.unsupported', 'Key pairs need AES_KEY_WRAP_KWP, which this token lacks.')
    const pair = keeper.generatePair(ecKeyPairGen, sessionPublic, newbornPrivate)
    try {
      const kek = roots.newestKek('strict')
      return {
        kek: kek.name,
        blob: keeper.wrap(mechanism, kek.handle, pair.privateKey),
        publicKey: publicKeyOf(keeper, pair.publicKey),
      }
    } finally {
      keeper.destroy(pair.privateKey)
      keeper.destroy(pair.publicKey)
    }
  })
}

/** The audit signing key's public half, DER SubjectPublicKeyInfo. */
export function auditPublicKey(token: Token): Buffer {
  return token.run(({ session, roots }) => publicKeyOf(session, roots.audit.publicKey))
}

function publicKeyOf(session: Pkcs11Session, publicKey: KeyHandle): Buffer {
  const [point] = session.attributes(publicKey, [pkcs11.CKA_EC_POINT])
  // PKCS#11 wraps the point in an OCTET STRING; some tokens give it bare.
  const bare = point?.subarray(-pointBytes)
  if (bare?.length !== pointBytes || bare[0] !== 0x04)
    throw new Fault('hsm.unsupported', 'The token gave no uncompressed P-256 point.')
  return Buffer.concat([spkiPrefix, bare])
}

const sessionPublic: Template = [
  { type: pkcs11.CKA_TOKEN, value: false },
  { type: pkcs11.CKA_PRIVATE, value: false },
  { type: pkcs11.CKA_EC_PARAMS, value: p256 },
  { type: pkcs11.CKA_ENCRYPT, value: false },
  { type: pkcs11.CKA_VERIFY, value: true },
  { type: pkcs11.CKA_WRAP, value: false },
]

const newbornPrivate: Template = [
  { type: pkcs11.CKA_TOKEN, value: false },
  { type: pkcs11.CKA_PRIVATE, value: true },
  { type: pkcs11.CKA_SENSITIVE, value: true },
  { type: pkcs11.CKA_EXTRACTABLE, value: true },
  ...privateUsage({ decrypt: false, sign: true, unwrap: false }),
]

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
