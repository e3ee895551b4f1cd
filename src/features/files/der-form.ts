import { childrenOf, headerAt, shortContent, derTag, type DerHeader } from '../../encoding/der.ts'

/** The kind of an ASN.1 structure, as far as its first headers tell. */
export type DerForm =
  | { readonly kind: 'certificate' | 'certificateRequest' | 'pkcs12' }
  | { readonly kind: 'privateKey'; readonly algorithm: string; readonly keyLength: string }

/** PKCS #7 data and signed data, which a PKCS#12 wraps (RFC 7292 §4), as content of the OID in hexadecimal digits. */
const pkcs7Prefix = '2a864886f70d0107'
/** PBES1 and PBES2 (RFC 8018), and those of PKCS#12: what an encrypted PKCS#8 begins with. */
const encryptionPrefixes = ['2a864886f70d0105', '2a864886f70d010c01']

const keyAlgorithms: Readonly<Record<string, readonly [name: string, bits: string]>> = {
  '2a864886f70d010101': ['RSA', ''],
  '2a864886f70d01010a': ['RSA-PSS', ''],
  '2a8648ce3d0201': ['EC', ''],
  '2a8648ce380401': ['DSA', ''],
  '2b6570': ['Ed25519', '256'],
  '2b6571': ['Ed448', '456'],
  '2b656e': ['X25519', '256'],
  '2b656f': ['X448', '448'],
}

const curveBits: Readonly<Record<string, string>> = {
  '2a8648ce3d030101': '192',
  '2b81040021': '224',
  '2a8648ce3d030107': '256',
  '2b8104000a': '256',
  '2b81040022': '384',
  '2b81040023': '521',
}

/**
 * Looks only at headers, at most three levels deep. So the cost is the same for all files, the file may be cut off
 * after the headers, and nothing is read of a private key that its public key does not contain as well.
 */
export function derForm(bytes: Buffer): DerForm | undefined {
  const outer = headerAt(bytes, 0)
  if (outer?.tag !== derTag.sequence) return undefined
  const [first, second] = childrenOf(bytes, outer, 2)
  if (first?.tag === derTag.sequence) return signedForm(bytes, first) ?? encryptedKey(bytes, first, second)
  if (first?.tag !== derTag.integer) return undefined
  const version = shortContent(bytes, first)
  if (version === '03') return isPkcs7(bytes, second) ? { kind: 'pkcs12' } : undefined
  return version === '00' || version === '01' ? plainKey(bytes, version, second, outer) : undefined
}

/** Certificate or request: the signed part comes first (RFC 5280 §4.1, RFC 2986 §4.2). */
function signedForm(bytes: Buffer, signed: DerHeader): DerForm | undefined {
  const [version, next] = childrenOf(bytes, signed, 2)
  if (version?.tag === derTag.context0) return next?.tag === derTag.integer ? { kind: 'certificate' } : undefined
  if (shortContent(bytes, version) !== '00' || next?.tag !== derTag.sequence) return undefined
  // In a request the subject, a SEQUENCE of SETs, follows the version. A version 1 certificate begins with its serial
  // number, which an algorithm follows.
  const isName = next.to === next.from || bytes[next.from] === derTag.set
  return isName ? { kind: 'certificateRequest' } : undefined
}

function encryptedKey(bytes: Buffer, algorithm: DerHeader, content: DerHeader | undefined): DerForm | undefined {
  const [oid] = childrenOf(bytes, algorithm, 1)
  const name = shortContent(bytes, oid)
  const isEncryption = oid?.tag === derTag.oid && encryptionPrefixes.some((prefix) => name?.startsWith(prefix))
  // Where the file is cut off within the algorithm, the object identifier alone decides.
  const isKey = content === undefined ? (algorithm.to ?? 0) > bytes.length : content.tag === derTag.octetString
  return isEncryption && isKey ? { kind: 'privateKey', algorithm: '', keyLength: '' } : undefined
}

function isPkcs7(bytes: Buffer, info: DerHeader | undefined): boolean {
  if (info?.tag !== derTag.sequence) return false
  const [oid] = childrenOf(bytes, info, 1)
  return oid?.tag === derTag.oid && shortContent(bytes, oid)?.startsWith(pkcs7Prefix) === true
}

/**
 * PKCS#1 (RFC 8017 §A.1.2), PKCS#8 (RFC 5958 §2) and SEC 1 (RFC 5915 §3), distinguished by what follows the version.
 */
function plainKey(
  bytes: Buffer,
  version: string,
  second: DerHeader | undefined,
  outer: DerHeader,
): DerForm | undefined {
  const [, , third] = childrenOf(bytes, outer, 3)
  if (second?.tag === derTag.integer && version === '00') {
    const bits = modulusBits(bytes, second)
    // OpenSSL's own format for DSA keys looks the same, but its third number is not a small exponent.
    const algorithm = third?.to !== undefined && third.to - third.from > 16 ? 'DSA' : 'RSA'
    return Number(bits) >= 512 ? { kind: 'privateKey', algorithm, keyLength: bits } : undefined
  }
  if (second?.tag === derTag.octetString && version === '01') return sec1Key(bytes, second, third)
  return second?.tag === derTag.sequence ? pkcs8Key(bytes, second, third) : undefined
}

/** A number of the size of a curve, and perhaps the curve, unless the file is cut off before it. */
function sec1Key(bytes: Buffer, key: DerHeader, third: DerHeader | undefined): DerForm | undefined {
  const keyBytes = (key.to ?? 0) - key.from
  if (keyBytes < 16 || keyBytes > 72) return undefined
  const curve = third?.tag === derTag.context0 ? shortContent(bytes, headerAt(bytes, third.from)) : undefined
  return { kind: 'privateKey', algorithm: 'EC', keyLength: curveBits[curve ?? ''] ?? '' }
}

function pkcs8Key(bytes: Buffer, identifier: DerHeader, key: DerHeader | undefined): DerForm | undefined {
  const [oid, parameters] = childrenOf(bytes, identifier, 2)
  const known = oid?.tag === derTag.oid ? keyAlgorithms[shortContent(bytes, oid) ?? ''] : undefined
  if (known === undefined || (key !== undefined && key.tag !== derTag.octetString)) return undefined
  const [algorithm, bits] = known
  const ofKind = { RSA: rsaBits, 'RSA-PSS': rsaBits, EC: ecBits }[algorithm]
  return { kind: 'privateKey', algorithm, keyLength: ofKind?.(bytes, key, parameters) ?? bits }
}

const ecBits = (bytes: Buffer, _key: DerHeader | undefined, curve: DerHeader | undefined): string =>
  curveBits[shortContent(bytes, curve) ?? ''] ?? ''

function rsaBits(bytes: Buffer, key: DerHeader | undefined): string {
  const inner = key && headerAt(bytes, key.from)
  return modulusBits(bytes, childrenOf(bytes, inner, 2)[1])
}

/** The length of the modulus in bits, without its leading zeros. */
function modulusBits(bytes: Buffer, modulus: DerHeader | undefined): string {
  if (modulus?.tag !== derTag.integer || modulus.to === undefined) return ''
  const start = bytes[modulus.from] === 0 ? modulus.from + 1 : modulus.from
  const first = bytes[start]
  return first === undefined ? '' : String((modulus.to - start) * 8 - (Math.clz32(first) - 24))
}
