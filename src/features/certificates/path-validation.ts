import type { Clock } from '../../clock.ts'
import type { Certificate } from './certificate.ts'
import { profileViolation, type ProfileRules } from './certificate-profile.ts'
import { createOcsp, type OcspOptions } from './ocsp.ts'
import { invalidCertificate } from './uploaded-certificate.ts'
import { createRevocations, type RevocationOptions } from './revocation.ts'
import { createTrustAnchors, type TrustFiles } from './trust-anchors.ts'
import type { ReportProblem } from './reloaded-file.ts'

/** Decides whether a certificate is valid at this moment. Only the parsed content of unchanged files is cached. */
export interface PathValidator {
  /** Whether certificates must be issued by a configured CA. */
  readonly requiresCa: boolean
  /** Why the certificate is rejected, for the audit trail; undefined when it is valid. */
  rejectReason(certificate: Certificate): Promise<string | undefined>
  /**
   * The checks at registration. An expired revocation list is ignored here, since the certificate is not at fault.
   * @throws Fault `certificate.invalid`
   */
  checkRegistrable(certificate: Certificate): void
  /** Conditions that an operator must attend to, one sentence each. */
  alarms(): string[]
}

export type CertificateRules = TrustFiles & RevocationOptions & OcspOptions & ProfileRules

export function createPathValidator(rules: CertificateRules, clock: Clock, report: ReportProblem): PathValidator {
  const anchors = createTrustAnchors(rules, report)
  const revocations = createRevocations(rules, report)
  const ocsp = createOcsp(rules, clock, report)

  /** Checks that no certificate of the path is in a revocation list of its issuer. */
  function revocationReason(path: readonly Certificate[], now: number): string | undefined {
    for (const [at, issuer] of path.slice(1).entries()) {
      const below = path[at]
      const reason = below && revocations.rejectReason(below, issuer, now)
      if (reason !== undefined) return at === 0 ? reason : `below a CA that is ${reason}`
    }
    return undefined
  }

  return {
    requiresCa: anchors.isConfigured,

    async rejectReason(certificate) {
      const now = clock.now()
      const violation = profileViolation(certificate, now, rules)
      if (violation !== undefined || !anchors.isConfigured) return violation?.reason
      const path = anchors.pathOf(certificate, now)
      const [issuer] = path ?? []
      if (path === undefined || issuer === undefined) return 'of no configured CA'
      return revocationReason([certificate, ...path], now) ?? ocsp.rejectReason(certificate, issuer)
    },

    checkRegistrable(certificate) {
      const now = clock.now()
      const violation = profileViolation(certificate, now, rules)
      if (violation !== undefined) throw invalidCertificate(violation.advice)
      if (!anchors.isConfigured) return
      const path = anchors.pathOf(certificate, now)
      if (path === undefined)
        throw invalidCertificate(
          'None of the CAs in smartcard.clientCa has issued this certificate, directly or through smartcard.intermediates.',
        )
      if (revocationReason([certificate, ...path], now)?.endsWith('revoked'))
        throw invalidCertificate('The certificate, or a CA above it, was revoked: have a new one issued.')
    },

    alarms: () => revocations.alarms(anchors.authorities(), clock.now()),
  }
}
