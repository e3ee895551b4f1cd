import { readCertificate, type Certificate } from './certificate.ts'
import { pemBlocks } from '../../encoding/pem.ts'
import { isStrongAlgorithm } from './signature.ts'
import { watchFile, type ReportProblem, type WatchedFile } from './watched-file.ts'

/** The CAs that issue the cards. */
export interface Trust {
  /** Whether a CA is configured at all; where none is, no path is asked for. */
  readonly isConfigured: boolean
  /**
   * The CAs above a certificate, its issuer first and a configured one last, each valid now and allowed to issue what stands
   * below it; undefined when there is no such path.
   */
  pathOf(certificate: Certificate, now: number): Certificate[] | undefined
  /** Every CA that can be part of a path. */
  authorities(): Certificate[]
}

export interface TrustFiles {
  /** PEM file with the CAs to believe. */
  readonly clientCa?: string | undefined
  /** PEM file with CAs between those and the users' certificates. */
  readonly intermediates?: string | undefined
}

const longestPath = 8

/** What a client sends beside its own certificate is never looked at: CAs come from these files alone. */
export function createTrust(files: TrustFiles, report: ReportProblem): Trust {
  const watch = (path: string | undefined): WatchedFile<Certificate[]> | undefined =>
    path === undefined ? undefined : watchFile(path, readAuthorities, report)
  const believed = watch(files.clientCa)
  const between = watch(files.intermediates)

  function climb(certificate: Certificate, below: number, now: number): Certificate[] | undefined {
    const fits = (ca: Certificate): boolean => mayIssue(ca, below, now) && hasIssued(ca, certificate)
    const last = believed?.current()?.find(fits)
    if (last !== undefined) return [last]
    if (below === longestPath) return undefined
    for (const ca of between?.current()?.filter(fits) ?? []) {
      const rest = climb(ca, below + 1, now)
      if (rest !== undefined) return [ca, ...rest]
    }
    return undefined
  }

  return {
    isConfigured: believed !== undefined,
    pathOf: (certificate, now) => climb(certificate, 0, now),
    authorities: () => [...(believed?.current() ?? []), ...(between?.current() ?? [])],
  }
}

function readAuthorities(content: Buffer): Certificate[] {
  const certificates = pemBlocks(content.toString('latin1'))
    .filter(({ label }) => label === 'CERTIFICATE')
    .map(({ bytes }) => readCertificate(bytes))
  if (certificates.length === 0) throw new RangeError('it holds no certificate in PEM form')
  return certificates
}

/** Whether `ca` may issue what has `below` CAs between it and the user's certificate (RFC 5280 §6.1.4). */
function mayIssue(ca: Certificate, below: number, now: number): boolean {
  const { isCa, pathLength = below, validFrom, validTo, strangeExtension } = ca
  return isCa && below <= pathLength && validFrom <= now && now <= validTo && strangeExtension === undefined
}

/** Whether `ca` has signed `certificate`, strongly; whether it may is for who asks to say. */
export function hasIssued(ca: Certificate, certificate: Certificate): boolean {
  return (
    certificate.issuerName.equals(ca.subjectName) &&
    // OpenSSL looks at key identifiers and at the CA's key usage.
    certificate.parsed.checkIssued(ca.parsed) &&
    isStrongAlgorithm(certificate.signatureAlgorithm) &&
    certificate.parsed.verify(ca.publicKey)
  )
}
