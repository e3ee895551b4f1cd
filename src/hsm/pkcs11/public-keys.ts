import { createPublicKey } from 'node:crypto'
import pkcs11, { type Template } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { sessionPublic } from './key-templates.ts'
import type { KeyPairRow } from './pair-kinds.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'

/**
 * The public half of a key pair, as DER SubjectPublicKeyInfo. `key`: the public half, or the private half of an RSA
 * pair, which contains it.
 */
export function publicKeyOf(session: Pkcs11Session, key: KeyHandle, row: KeyPairRow): Buffer {
  if (row.family === 'rsa') return rsaPublicKeyOf(session, key)
  const [point] = session.attributes(key, [pkcs11.CKA_EC_POINT])
  // PKCS#11 specifies a DER OCTET STRING with the point; some tokens return the bare point.
  const bare = point?.subarray(-row.pointBytes)
  if (bare?.length !== row.pointBytes || (row.family === 'ecdsa' && bare[0] !== 0x04))
    throw new Fault('hsm.unsupported', 'The token gave no uncompressed point.')
  return Buffer.concat([row.spkiPrefix, bare])
}

export function rsaPublicKeyOf(session: Pkcs11Session, key: KeyHandle): Buffer {
  const [modulus, exponent] = session.attributes(key, [pkcs11.CKA_MODULUS, pkcs11.CKA_PUBLIC_EXPONENT])
  if (modulus === undefined || exponent === undefined) throw new Fault('hsm.unsupported', 'The token gave no modulus.')
  const jwk = { kty: 'RSA', n: modulus.toString('base64url'), e: exponent.toString('base64url') }
  return createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'der' })
}

/** CKA_EC_PARAMS of a key: DER of its curve's OID. */
export function curveOf(session: Pkcs11Session, key: KeyHandle): Buffer {
  return session.attributes(key, [pkcs11.CKA_EC_PARAMS])[0] ?? Buffer.alloc(0)
}

/**
 * The template of a public key as a session object that verifies.
 * @throws Fault `hsm.rejected` for a key of another kind
 */
export function verifyingTemplate(row: KeyPairRow, publicKey: Buffer): Template {
  const use = sessionPublic({ verify: true, wrap: false })
  if (row.family === 'rsa') {
    const { modulus, exponent } = rsaNumbers(publicKey)
    if (modulus.length * 8 !== row.modulusBits)
      throw new Fault('hsm.rejected', `The public key has ${modulus.length * 8} bits, not ${row.modulusBits}.`)
    return [...rsaPublic(modulus, exponent), ...use]
  }
  const point = publicKey.subarray(row.spkiPrefix.length)
  if (point.length !== row.pointBytes || !publicKey.subarray(0, row.spkiPrefix.length).equals(row.spkiPrefix))
    throw new Fault('hsm.rejected', 'The public key is not on the curve of this kind of key.')
  return [
    { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_PUBLIC_KEY },
    { type: pkcs11.CKA_KEY_TYPE, value: row.keyType },
    { type: pkcs11.CKA_EC_PARAMS, value: row.curve },
    // A DER OCTET STRING. The length of the point is below 128 and takes one byte.
    { type: pkcs11.CKA_EC_POINT, value: Buffer.concat([Buffer.from([0x04, point.length]), point]) },
    ...use,
  ]
}

const shortestModulusBytes = 256
const longestModulusBytes = 1024

/**
 * The template of a recipient's RSA key as a session object that wraps.
 * @throws Fault `hsm.rejected` unless it is RSA of 2048 to 8192 bits
 */
export function wrappingTemplate(recipient: Buffer): Template {
  const { modulus, exponent } = rsaNumbers(recipient)
  if (modulus.length < shortestModulusBytes || modulus.length > longestModulusBytes)
    throw new Fault('hsm.rejected', `The RSA key has ${modulus.length * 8} bits; 2048 to 8192 are taken.`)
  return [...rsaPublic(modulus, exponent), ...sessionPublic({ verify: false, wrap: true })]
}

function rsaPublic(modulus: Buffer, exponent: Buffer): Template {
  return [
    { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_PUBLIC_KEY },
    { type: pkcs11.CKA_KEY_TYPE, value: pkcs11.CKK_RSA },
    { type: pkcs11.CKA_MODULUS, value: modulus },
    { type: pkcs11.CKA_PUBLIC_EXPONENT, value: exponent },
  ]
}

function rsaNumbers(publicKey: Buffer): { modulus: Buffer; exponent: Buffer } {
  const { n, e } = jwkOf(publicKey)
  if (n === undefined || e === undefined) throw new Fault('hsm.rejected', 'The public key is not an RSA key.')
  return { modulus: Buffer.from(n, 'base64url'), exponent: Buffer.from(e, 'base64url') }
}

function jwkOf(publicKey: Buffer) {
  try {
    return createPublicKey({ key: publicKey, format: 'der', type: 'spki' }).export({ format: 'jwk' })
  } catch (error) {
    throw new Fault('hsm.rejected', 'The public key is not a DER SubjectPublicKeyInfo.', { cause: error })
  }
}
