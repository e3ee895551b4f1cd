import { readCertificate, type Certificate } from './certificate.ts'
import { pemBlocks } from '../../encoding/pem.ts'
import { isStrongAlgorithm } from './signature.ts'
import { reloadOnChange, type ReportProblem, type ReloadedFile } from './reloaded-file.ts'

/** The CAs that issue the users' certificates. */
export interface TrustAnchors {
  /** Whether any CA is configured; otherwise no path is required. */
  readonly isConfigured: boolean
  /**
   * The CAs above a certificate, from its issuer to a trust anchor, each valid now and allowed to issue the one before
   * it; undefined when there is no such path.
   */
  pathOf(certificate: Certificate, now: number): Certificate[] | undefined
  /** All CAs that can be part of a path. */
  authorities(): Certificate[]
}

export interface TrustFiles {
  /** PEM file with the trust anchors. */
  readonly clientCa?: string | undefined
  /** PEM file with the CAs between trust anchors and users' certificates. */
  readonly intermediates?: string | undefined
}

const longestPath = 8

/** CA certificates come from these files only, never from what a client sends with its certificate. */
export function createTrustAnchors(files: TrustFiles, report: ReportProblem): TrustAnchors {
  const watch = (path: string | undefined): ReloadedFile<Certificate[]> | undefined =>
    path === undefined ? undefined : reloadOnChange(path, certificatesIn, report)
  const roots = watch(files.clientCa)
  const intermediates = watch(files.intermediates)

  function buildPath(certificate: Certificate, below: number, now: number): Certificate[] | undefined {
    const fits = (ca: Certificate): boolean => mayIssue(ca, below, now) && hasIssued(ca, certificate)
    const last = roots?.current()?.find(fits)
    if (last !== undefined) return [last]
    if (below === longestPath) return undefined
    for (const ca of intermediates?.current()?.filter(fits) ?? []) {
      const rest = buildPath(ca, below + 1, now)
      if (rest !== undefined) return [ca, ...rest]
    }
    return undefined
  }

  return {
    isConfigured: roots !== undefined,
    pathOf: (certificate, now) => buildPath(certificate, 0, now),
    authorities: () => [...(roots?.current() ?? []), ...(intermediates?.current() ?? [])],
  }
}

function certificatesIn(content: Buffer): Certificate[] {
  const certificates = pemBlocks(content.toString('latin1'))
    .filter(({ label }) => label === 'CERTIFICATE')
    .map(({ bytes }) => readCertificate(bytes))
  if (certificates.length === 0) throw new RangeError('it holds no certificate in PEM form')
  return certificates
}

/** Whether `ca` may issue a certificate that has `below` CAs between it and the user's (RFC 5280 §6.1.4). */
function mayIssue(ca: Certificate, below: number, now: number): boolean {
  const { isCa, pathLength = below, validFrom, validTo, unknownCriticalExtension } = ca
  return isCa && below <= pathLength && validFrom <= now && now <= validTo && unknownCriticalExtension === undefined
}

/** Whether `ca` has signed `certificate` with a strong algorithm. The caller checks whether `ca` may issue it. */
export function hasIssued(ca: Certificate, certificate: Certificate): boolean {
  return (
    certificate.issuerName.equals(ca.subjectName) &&
    // OpenSSL compares key identifiers and checks the CA's key usage.
    certificate.parsed.checkIssued(ca.parsed) &&
    isStrongAlgorithm(certificate.signatureAlgorithm) &&
    certificate.parsed.verify(ca.publicKey)
  )
}
