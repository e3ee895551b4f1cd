// @peculiar/x509 requires it to be imported first.
import 'reflect-metadata'
import { hash, X509Certificate, type KeyObject } from 'node:crypto'
import type { PeerCertificate } from 'node:tls'
import * as x509 from '@peculiar/x509'
import { boundCertificate } from '../../encoding/certificate-bound.ts'
import { derTag, readElements, readOnly } from '../../encoding/der.ts'

// Where X509Certificate.toLegacyObject() is what loads node:tls, that module has no createSecureContext (Node.js 20 to
// 24). A call and not an import, which the build would leave out.
process.getBuiltinModule('node:tls')

/** An X.509 certificate, reduced to the fields that this program reads. */
export interface Certificate {
  readonly der: Buffer
  /** SHA-256 of the DER: 64 lower-case hexadecimal digits. The only identity of a certificate here. */
  readonly fingerprint: string
  readonly parsed: X509Certificate
  /** Its fields under OpenSSL's short names, or else object identifiers; one that occurs several times is an array. */
  readonly subject: PeerCertificate['subject']
  /** Milliseconds since the Unix epoch; both ends are included. */
  readonly validFrom: number
  readonly validTo: number
  /** Content of the INTEGER, hexadecimal. */
  readonly serial: string
  /** DER of the two names. */
  readonly issuerName: Buffer
  readonly subjectName: Buffer
  readonly publicKey: KeyObject
  /** Content of the BIT STRING of its public key. */
  readonly publicKeyBits: Buffer
  /** DER AlgorithmIdentifier of its signature. */
  readonly signatureAlgorithm: Buffer
  readonly isCa: boolean
  /** The greatest number of CAs between this one and a user's certificate; undefined: no limit. */
  readonly pathLength: number | undefined
  /** Object identifiers of its extended key usage; undefined where it has none. */
  readonly extendedKeyUsages: readonly string[] | undefined
  /** Bits of its key usage; undefined where it has none. */
  readonly keyUsages: number | undefined
  /** Addresses of OCSP responders that it names. */
  readonly responders: readonly string[]
  /** Object identifier of its first critical extension that this program does not process. */
  readonly unknownCriticalExtension: string | undefined
}

export const extendedKeyUsage = {
  clientAuth: x509.ExtendedKeyUsage.clientAuth,
  ocspSigning: '1.3.6.1.5.5.7.3.9',
} as const
export const keyUsage = { digitalSignature: 1, crlSign: 64 } as const

/**
 * Extensions that may be critical (RFC 5280 §4.2): basic constraints, both key usages, names, policies, distribution
 * points. Name constraints and policies need no check here, because no identity is read from a name or a policy.
 */
const knownExtensions = new Set([
  '2.5.29.15',
  '2.5.29.17',
  '2.5.29.19',
  '2.5.29.30',
  '2.5.29.31',
  '2.5.29.32',
  '2.5.29.35',
  '2.5.29.36',
  '2.5.29.37',
  '2.5.29.54',
])

export function fingerprintOf(der: Uint8Array): string {
  return hash('sha256', der)
}

/**
 * Parses exactly one certificate.
 * @throws Error of any kind for other bytes and for trailing bytes; Fault `certificate.invalid` for one that would take
 * long to parse
 */
export function readCertificate(der: Buffer): Certificate {
  boundCertificate(der)
  const parsed = new X509Certificate(der)
  if (!parsed.raw.equals(der)) throw new RangeError('the certificate is followed by other bytes')
  const asn = new x509.X509Certificate(der)
  const { ca, pathLength } = asn.getExtension(x509.BasicConstraintsExtension) ?? { ca: false, pathLength: undefined }
  const types = asn.extensions.map(({ type }) => type)
  if (new Set(types).size !== types.length) throw new RangeError('an extension occurs twice')
  return {
    der,
    fingerprint: fingerprintOf(der),
    parsed,
    subject: parsed.toLegacyObject().subject,
    validFrom: asn.notBefore.getTime(),
    validTo: asn.notAfter.getTime(),
    ...fieldsOf(der),
    publicKey: parsed.publicKey,
    isCa: ca,
    pathLength,
    extendedKeyUsages: asn.getExtension(x509.ExtendedKeyUsageExtension)?.usages.map(String),
    keyUsages: asn.getExtension(x509.KeyUsagesExtension)?.usages,
    responders: (asn.getExtension(x509.AuthorityInfoAccessExtension)?.ocsp ?? []).map(({ value }) => value),
    unknownCriticalExtension: asn.extensions.find(({ critical, type }) => critical && !knownExtensions.has(type))?.type,
  }
}

/** The fields that are compared byte by byte, as they are in the DER (RFC 5280 §4.1). */
function fieldsOf(der: Buffer) {
  const [tbs, algorithm] = readElements(readOnly(der, derTag.sequence).content)
  const fields = readElements(tbs?.content ?? Buffer.alloc(0))
  if (fields[0]?.tag === derTag.context0) fields.shift()
  const [serial, , issuer, , subject, key] = fields
  if (!algorithm || !serial || !issuer || !subject || !key) throw new RangeError('the certificate lacks a field')
  const [, bits] = readElements(key.content)
  return {
    serial: serial.content.toString('hex'),
    issuerName: issuer.raw,
    subjectName: subject.raw,
    // The first byte is the number of unused bits, 0 for keys.
    publicKeyBits: (bits?.content ?? Buffer.alloc(0)).subarray(1),
    signatureAlgorithm: algorithm.raw,
  }
}
