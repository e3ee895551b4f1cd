import { hash, randomBytes, verify, X509Certificate } from 'node:crypto'
import { derTag, digestNames, readElements, readOid, readOnly, readTime, type DerElement } from '../../encoding/der.ts'

const signedDataType = '1.2.840.113549.1.7.2'
const tstInfoType = '1.2.840.113549.1.9.16.1.4'
const messageDigest = '1.2.840.113549.1.9.4'
const contentType = '1.2.840.113549.1.9.3'
const timeStamping = '1.3.6.1.5.5.7.3.8'
const longestPath = 8

/** Eight random bytes. The highest bit is set, so that their DER INTEGER always has nine bytes. */
export function timestampNonce(): Buffer {
  const nonce = randomBytes(8)
  return nonce.fill((nonce[0] ?? 0) | 0x80, 0, 1)
}

/** The header, version 1, and the identifier of SHA-256, which precede the 32 bytes of the imprint. */
const beforeImprint = Buffer.from('30440201013031300d060960864801650304020105000420', 'hex')
const beforeNonce = Buffer.from('020900', 'hex')
const certificateAsked = Buffer.from('0101ff', 'hex')

/**
 * DER of a TimeStampReq (RFC 3161 §2.4.1) for a 32-byte SHA-256 imprint and a nonce of `timestampNonce`. It asks for
 * the certificate. Each of its parts has a fixed length, so the headers are constant.
 */
export function timestampRequest(imprint: Buffer, nonce: Buffer): Buffer {
  return Buffer.concat([beforeImprint, imprint, beforeNonce, nonce, certificateAsked])
}

/**
 * The token in a TimeStampResp (RFC 3161 §2.4.2) to this request. Does not check its signature.
 * @throws Error of any kind if the authority refused, or answered another request
 */
export function readTimestampReply(reply: Buffer, imprint: Buffer, nonce: Buffer): Buffer {
  const [status, token] = readElements(readOnly(reply, derTag.sequence).content)
  const [state] = status === undefined ? [] : readElements(status.content)
  // PKIStatus 0 is granted, 1 is granted with modifications.
  if (token === undefined || state?.content.length !== 1 || Number(state.content[0]) > 1)
    throw new RangeError(`the time-stamp authority refused the request (status ${state?.content[0]})`)
  const info = readInfo(readSigned(token.raw).content)
  if (!info.imprint.equals(imprint)) throw new RangeError('the time stamp is of something else')
  if (info.nonce?.subarray(-8).equals(nonce) !== true) throw new RangeError('the time stamp answers another request')
  return token.raw
}

/**
 * The time at which `imprint` existed according to this token, in milliseconds since the Unix epoch.
 * @throws Error of any kind unless a time-stamping certificate under one of `authorities` signed it (RFC 3161 §2.3, RFC
 * 5652 §5.4)
 */
export function verifyTimestamp(token: Buffer, imprint: Buffer, authorities: readonly X509Certificate[]): number {
  const signed = readSigned(token)
  const info = readInfo(signed.content)
  if (!info.imprint.equals(imprint)) throw new RangeError('the time stamp is of something else')
  const certificates = signed.certificates.map((der) => new X509Certificate(der))
  const certificate = certificates.find((one) => isSignature(signed, one))
  if (certificate === undefined) throw new RangeError('no certificate in the time stamp made its signature')
  if (!(certificate.keyUsage ?? []).includes(timeStamping))
    throw new RangeError('the certificate of the time stamp is not for time stamps')
  if (!leadsTo(certificate, certificates, authorities, info.at, 0))
    throw new RangeError('the certificate of the time stamp leads to no trusted authority')
  return info.at
}

/** The parts that are used of a CMS SignedData with one signer (RFC 5652 §5.1). */
interface Signed {
  /** DER of the TSTInfo. */
  readonly content: Buffer
  readonly certificates: readonly Buffer[]
  readonly digest: string
  /** The signed attributes in the form that is signed: with the tag of a SET (RFC 5652 §5.4). */
  readonly attributes: Buffer
  readonly signature: Buffer
}

/**
 * Does not use @peculiar/asn1-cms, which does not give the bytes of the signed attributes: its own encoding of them may
 * differ from the signed bytes.
 */
function readSigned(token: Buffer): Signed {
  const [type, outer] = readElements(readOnly(token, derTag.sequence).content)
  if (outer === undefined || oidOf(type) !== signedDataType) throw new RangeError('the time stamp is not signed data')
  const [, , encapsulated, ...more] = readElements(readOnly(outer.content, derTag.sequence).content)
  const [inner, explicit] = readElements(contentOf(encapsulated))
  if (oidOf(inner) !== tstInfoType) throw new RangeError('the signed data is not a time stamp')
  const [signer] = readElements(contentOf(more.find(({ tag }) => tag === derTag.set)))
  const [, , digest, attributes, , signature] = readElements(contentOf(signer))
  if (attributes?.tag !== derTag.context0) throw new RangeError('the time stamp has no signed attributes')
  const certificates = more.find(({ tag }) => tag === derTag.context0)
  return {
    content: readOnly(contentOf(explicit), derTag.octetString).content,
    certificates: (certificates === undefined ? [] : readElements(certificates.content)).map(({ raw }) => raw),
    digest: digestNames[oidOf(readElements(contentOf(digest))[0])] ?? '',
    attributes: Buffer.from(attributes.raw).fill(derTag.set, 0, 1),
    signature: contentOf(signature),
  }
}

function contentOf(element: DerElement | undefined): Buffer {
  if (element === undefined) throw new RangeError('the time stamp is incomplete')
  return element.content
}

const oidOf = (element: DerElement | undefined): string => (element === undefined ? '' : readOid(element))

/** Reads a TSTInfo (RFC 3161 §2.4.2): version, policy, imprint, serial number, time, then optional fields. */
function readInfo(content: Buffer): { imprint: Buffer; at: number; nonce: Buffer | undefined } {
  const [, , imprint, , time, ...more] = readElements(readOnly(content, derTag.sequence).content)
  const [algorithm, hashed] = imprint === undefined ? [] : readElements(imprint.content)
  if (algorithm === undefined || hashed === undefined || time === undefined) throw new RangeError('not a TSTInfo')
  if (digestNames[oidOf(readElements(algorithm.content)[0])] !== 'sha256')
    throw new RangeError('the imprint is not SHA-256')
  return { imprint: hashed.content, at: timeOf(time), nonce: more.find(({ tag }) => tag === derTag.integer)?.content }
}

/** Unlike in certificates, the time may have fractions of a second; they are dropped. */
function timeOf(time: DerElement): number {
  const text = time.content.toString('latin1').replace(/\.\d+Z$/, 'Z')
  return readTime({ ...time, content: Buffer.from(text, 'latin1') })
}

function isSignature({ content, digest, attributes, signature }: Signed, certificate: X509Certificate): boolean {
  const values = new Map(
    readElements(readOnly(attributes, derTag.set).content).map(({ content: attribute }) => {
      const [type, set] = readElements(attribute)
      return [oidOf(type), contentOf(set)]
    }),
  )
  const hashed = readOnly(values.get(messageDigest) ?? Buffer.alloc(0), derTag.octetString).content
  if (digest === '' || !hashed.equals(hash(digest, content, 'buffer'))) return false
  if (readOid(readOnly(values.get(contentType) ?? Buffer.alloc(0), derTag.oid)) !== tstInfoType) return false
  return verify(digest, attributes, certificate.publicKey, signature)
}

function leadsTo(
  certificate: X509Certificate,
  between: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
  at: number,
  below: number,
): boolean {
  if (at < Date.parse(certificate.validFrom) || at > Date.parse(certificate.validTo) || below > longestPath)
    return false
  const issued = (ca: X509Certificate) => ca.ca && certificate.checkIssued(ca) && certificate.verify(ca.publicKey)
  if (authorities.some((ca) => ca.raw.equals(certificate.raw) || issued(ca))) return true
  return between.some(
    (ca) => !ca.raw.equals(certificate.raw) && issued(ca) && leadsTo(ca, between, authorities, at, below + 1),
  )
}
