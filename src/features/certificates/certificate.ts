// @peculiar/x509 asks for it before anything else.
import 'reflect-metadata'
import { createHash, X509Certificate, type KeyObject } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { derTag, readElements, readOnly } from '../../encoding/der.ts'
import { subjectOf, type CertificateSubject } from './subject.ts'

/** An X.509 certificate, as far as anything here looks at it. */
export interface Certificate {
  readonly der: Buffer
  /** SHA-256 of the DER: 64 lower-case hexadecimal digits. The only thing that names a certificate here. */
  readonly fingerprint: string
  readonly parsed: X509Certificate
  readonly subject: CertificateSubject
  /** Milliseconds since the Unix epoch; valid from the one to the other, both included. */
  readonly validFrom: number
  readonly validTo: number
  /** Content of the INTEGER, hexadecimal. */
  readonly serial: string
  /** DER of the two names. */
  readonly issuerName: Buffer
  readonly subjectName: Buffer
  readonly publicKey: KeyObject
  /** What the BIT STRING of its public key holds. */
  readonly publicKeyBits: Buffer
  /** DER AlgorithmIdentifier of its signature. */
  readonly signatureAlgorithm: Buffer
  readonly isCa: boolean
  /** How many CAs may stand between this one and a user's certificate; undefined: any number. */
  readonly pathLength: number | undefined
  /** Object identifiers of its extended key usage; undefined where it has none. */
  readonly purposes: readonly string[] | undefined
  /** Undefined where it does not say. */
  readonly keyUsages: number | undefined
  /** Addresses of OCSP responders that it names. */
  readonly responders: readonly string[]
  /** Object identifier of a critical extension that nobody here understands. */
  readonly strangeExtension: string | undefined
}

export const purpose = { clientAuth: x509.ExtendedKeyUsage.clientAuth, ocspSigning: '1.3.6.1.5.5.7.3.9' } as const
export const keyUsage = { digitalSignature: 1, crlSign: 64 } as const

/**
 * Extensions that may be critical (RFC 5280 §4.2): basic constraints, both key usages, names, policies, distribution points. Name
 * constraints and policies among them need no check of ours, because no identity here is read from a name or a policy.
 */
const understood = new Set([
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
  return createHash('sha256').update(der).digest('hex')
}

/** Reads exactly one certificate. Throws an Error of any kind for other bytes, and for bytes behind it. */
export function readCertificate(der: Buffer): Certificate {
  const parsed = new X509Certificate(der)
  if (!parsed.raw.equals(der)) throw new RangeError('there are bytes behind the certificate')
  const asn = new x509.X509Certificate(der)
  const { ca, pathLength } = asn.getExtension(x509.BasicConstraintsExtension) ?? { ca: false, pathLength: undefined }
  const types = asn.extensions.map(({ type }) => type)
  if (new Set(types).size !== types.length) throw new RangeError('an extension is there twice')
  return {
    der,
    fingerprint: fingerprintOf(der),
    parsed,
    subject: subjectOf(asn.subjectName),
    validFrom: asn.notBefore.getTime(),
    validTo: asn.notAfter.getTime(),
    ...fieldsOf(der),
    publicKey: parsed.publicKey,
    isCa: ca,
    pathLength,
    purposes: asn.getExtension(x509.ExtendedKeyUsageExtension)?.usages.map(String),
    keyUsages: asn.getExtension(x509.KeyUsagesExtension)?.usages,
    responders: (asn.getExtension(x509.AuthorityInfoAccessExtension)?.ocsp ?? []).map(({ value }) => value),
    strangeExtension: asn.extensions.find(({ critical, type }) => critical && !understood.has(type))?.type,
  }
}

/** What is compared byte by byte, as it stands in the DER (RFC 5280 §4.1). */
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
    // The first byte counts the unused bits, of which a key has none.
    publicKeyBits: (bits?.content ?? Buffer.alloc(0)).subarray(1),
    signatureAlgorithm: algorithm.raw,
  }
}
