import { hash, randomBytes } from 'node:crypto'
import {
  BasicOCSPResponse,
  CertID,
  id_pkix_ocsp_basic,
  id_pkix_ocsp_nonce,
  OCSPRequest,
  OCSPResponse,
  OCSPResponseStatus,
  Request,
  TBSRequest,
  type SingleResponse,
} from '@peculiar/asn1-ocsp'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import { AlgorithmIdentifier, Extension } from '@peculiar/asn1-x509'
import { LRUCache } from 'lru-cache'
import { readBounded } from '../../bounded-reading.ts'
import type { Clock } from '../../clock.ts'
import { extendedKeyUsage, readCertificate, type Certificate } from './certificate.ts'
import { isGoodSignature } from './signature.ts'
import { hasIssued } from './trust-anchors.ts'
import type { ReportProblem } from './reloaded-file.ts'

export interface Ocsp {
  /**
   * Why a certificate is rejected, for the audit trail; undefined when the responder of its issuer reports it as good.
   */
  rejectReason(certificate: Certificate, issuer: Certificate): Promise<string | undefined>
}

export interface OcspOptions {
  /** Where no valid answer arrives, `soft` accepts the certificate and `hard` rejects it. */
  readonly ocsp: 'off' | 'soft' | 'hard'
  /** Overrides the address in the certificate. */
  readonly ocspResponder?: string | undefined
  readonly ocspTimeoutMs: number
  readonly ocspCacheMs: number
}

interface Verdict {
  readonly rejectReason: string | undefined
  readonly goodUntil: number
}

/** A verdict before its time is of a clock that was ahead: it counts as expired. */
interface CachedVerdict extends Verdict {
  readonly goodFrom: number
}

const sha1 = '1.3.14.3.2.26'
const nonceBytes = 16
const maxAnswerBytes = 64 * 1024
const maxCachedVerdicts = 10_000
/** Tolerated difference between the responder's clock and ours. */
const skewMs = 300_000
const retryMs = 10_000

/** Asks the OCSP responder of a CA (RFC 6960), one certificate per request. */
export function createOcsp(options: OcspOptions, clock: Clock, report: ReportProblem): Ocsp {
  const verdicts = new LRUCache<string, Promise<CachedVerdict>>({ max: maxCachedVerdicts })

  async function ask(certificate: Certificate, issuer: Certificate): Promise<Verdict> {
    const address = options.ocspResponder ?? certificate.responders.find((uri) => /^https?:\/\//.test(uri))
    if (address === undefined) throw new RangeError('neither certificate nor configuration names a responder')
    const nonce = randomBytes(nonceBytes)
    const answer = await post(address, question(certificate, issuer, nonce), options.ocspTimeoutMs)
    return readAnswer(answer, { certificate, issuer, nonce, now: clock.now() })
  }

  /** A responder that does not answer is not asked again for `retryMs`, since each call would wait for it. */
  function withoutAnswer(cause: unknown): Verdict {
    report('The OCSP responder gave no valid answer.', cause)
    const rejectReason = options.ocsp === 'hard' ? 'not vouched for by the OCSP responder' : undefined
    return { rejectReason, goodUntil: clock.now() + retryMs }
  }

  function bounded({ rejectReason, goodUntil }: Verdict): CachedVerdict {
    const now = clock.now()
    return { rejectReason, goodFrom: now, goodUntil: Math.min(goodUntil, now + options.ocspCacheMs) }
  }

  async function verdictOn(certificate: Certificate, issuer: Certificate): Promise<Verdict> {
    const key = `${certificate.fingerprint} ${issuer.fingerprint}`
    const last = verdicts.get(key)
    const known = await last
    const now = clock.now()
    if (known !== undefined && known.goodFrom <= now && now < known.goodUntil) return known
    // Parallel calls share one request.
    if (verdicts.get(key) !== last) return verdictOn(certificate, issuer)
    const asked = ask(certificate, issuer).catch(withoutAnswer).then(bounded)
    verdicts.set(key, asked)
    return asked
  }

  return {
    rejectReason: async (certificate, issuer) =>
      options.ocsp === 'off' ? undefined : (await verdictOn(certificate, issuer)).rejectReason,
  }
}

function question(certificate: Certificate, issuer: Certificate, nonce: Buffer): Buffer {
  const nonceExtension = new Extension({
    extnID: id_pkix_ocsp_nonce,
    extnValue: new OctetString(AsnConvert.serialize(new OctetString(nonce))),
  })
  const tbsRequest = new TBSRequest({
    requestList: [new Request({ reqCert: certificateId(certificate, issuer) })],
    requestExtensions: [nonceExtension],
  })
  return Buffer.from(AsnConvert.serialize(new OCSPRequest({ tbsRequest })))
}

/**
 * SHA-1 serves as an identifier here, not as protection. It is the one digest that every responder knows (RFC 5019
 * §2.1.1).
 */
function certificateId(certificate: Certificate, issuer: Certificate): CertID {
  return new CertID({
    hashAlgorithm: new AlgorithmIdentifier({ algorithm: sha1, parameters: null }),
    issuerNameHash: sha1Of(certificate.issuerName),
    issuerKeyHash: sha1Of(issuer.publicKeyBits),
    serialNumber: arrayBufferOf(Buffer.from(certificate.serial, 'hex')),
  })
}

function sha1Of(bytes: Buffer): OctetString {
  return new OctetString(hash('sha1', bytes, 'buffer'))
}

async function post(address: string, body: Buffer, timeoutMs: number): Promise<Buffer> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/ocsp-request' },
    body: new Uint8Array(body),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!response.ok || response.body === null)
    throw new RangeError(`the responder answered with status ${response.status}`)
  return readBounded(response.body, maxAnswerBytes, () => new RangeError('the answer of the responder is too long'))
}

interface Question {
  readonly certificate: Certificate
  readonly issuer: Certificate
  readonly nonce: Buffer
  readonly now: number
}

/** @throws Error of any kind for an answer with a bad signature, about another certificate, or outside its validity */
function readAnswer(answer: Buffer, asked: Question): Verdict {
  const { responseStatus, responseBytes } = AsnConvert.parse(answer, OCSPResponse)
  if (responseStatus !== OCSPResponseStatus.successful || responseBytes?.responseType !== id_pkix_ocsp_basic)
    throw new RangeError(`the responder refused to answer (status ${responseStatus})`)
  const basic = AsnConvert.parse(responseBytes.response.buffer, BasicOCSPResponse)
  checkSigner(basic, asked)
  checkNonce(basic, asked.nonce)
  const wanted = certificateId(asked.certificate, asked.issuer)
  const single = basic.tbsResponseData.responses.find(({ certID }) => isSameCertificate(certID, wanted))
  if (single === undefined) throw new RangeError('the answer is about another certificate')
  return verdictOf(single, asked.now)
}

function isSameCertificate(one: CertID, other: CertID): boolean {
  return (
    one.hashAlgorithm.algorithm === other.hashAlgorithm.algorithm &&
    equal(one.issuerNameHash.buffer, other.issuerNameHash.buffer) &&
    equal(one.issuerKeyHash.buffer, other.issuerKeyHash.buffer) &&
    equal(one.serialNumber, other.serialNumber)
  )
}

const equal = (one: ArrayBuffer, other: ArrayBuffer): boolean => Buffer.from(one).equals(Buffer.from(other))

/**
 * The answer must be signed by the CA, or by a responder to which the CA issued a certificate for this purpose (RFC
 * 6960 §4.2.2.2).
 */
function checkSigner(basic: BasicOCSPResponse, { issuer, now }: Question): void {
  const signed = Buffer.from(basic.tbsResponseDataRaw ?? new ArrayBuffer(0))
  const algorithm = Buffer.from(AsnConvert.serialize(basic.signatureAlgorithm))
  const signature = Buffer.from(basic.signature)
  const delegates = (basic.certs ?? [])
    .map((certificate) => readCertificate(Buffer.from(AsnConvert.serialize(certificate))))
    .filter((delegate) => isResponderOf(delegate, issuer, now))
  const isGood = [issuer, ...delegates].some((signer) =>
    isGoodSignature(algorithm, signed, signature, signer.publicKey),
  )
  if (!isGood) throw new RangeError('the answer is not signed by the CA or its responder')
}

function isResponderOf(delegate: Certificate, issuer: Certificate, now: number): boolean {
  return (
    delegate.extendedKeyUsages?.includes(extendedKeyUsage.ocspSigning) === true &&
    delegate.validFrom <= now &&
    now <= delegate.validTo &&
    hasIssued(issuer, delegate)
  )
}

/** Many responders omit the nonce (RFC 5019); if there is one, it must be that of the request. */
function checkNonce({ tbsResponseData }: BasicOCSPResponse, nonce: Buffer): void {
  const extension = tbsResponseData.responseExtensions?.find(({ extnID }) => extnID === id_pkix_ocsp_nonce)
  if (extension === undefined) return
  const repeated = Buffer.from(AsnConvert.parse(extension.extnValue.buffer, OctetString).buffer)
  if (!repeated.equals(nonce)) throw new RangeError('the answer is to another question (nonce)')
}

function verdictOf({ certStatus, thisUpdate, nextUpdate }: SingleResponse, now: number): Verdict {
  // Without nextUpdate newer information may exist at any time (RFC 6960 §4.2.2.1), so that the answer has to be
  // current.
  const current = nextUpdate ?? thisUpdate
  if (thisUpdate.getTime() > now + skewMs || current.getTime() < now - skewMs)
    throw new RangeError('the answer is not current')
  const goodUntil = nextUpdate?.getTime() ?? Number.POSITIVE_INFINITY
  if (certStatus.good !== undefined) return { rejectReason: undefined, goodUntil }
  return { rejectReason: certStatus.revoked === undefined ? 'unknown to its CA' : 'revoked', goodUntil }
}

function arrayBufferOf(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
