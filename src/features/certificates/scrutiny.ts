import type { Clock } from '../../clock.ts'
import type { Certificate } from './certificate.ts'
import { unfitness, type FitnessRules } from './fitness.ts'
import { createOcsp, type OcspOptions } from './ocsp.ts'
import { unusable } from './registration.ts'
import { createRevocations, type RevocationOptions } from './revocation.ts'
import { createTrust, type TrustFiles } from './trust.ts'
import type { ReportProblem } from './watched-file.ts'

/** Whether a certificate is to be believed at this moment; nothing is remembered of the last time but files that have not changed. */
export interface Scrutiny {
  /** Whether certificates must come from a configured CA. */
  readonly asksForCa: boolean
  /** Why it is not, for the audit trail; undefined when nothing speaks against it. */
  doubt(certificate: Certificate): Promise<string | undefined>
  /** What can be said at registration: that a revocation list has expired is not the user's fault. @throws Fault `certificate.invalid` */
  checkRegistrable(certificate: Certificate): void
  /** What an operator must see to, one sentence each. */
  alarms(): string[]
}

export type CertificateRules = TrustFiles & RevocationOptions & OcspOptions & FitnessRules

export function createScrutiny(rules: CertificateRules, clock: Clock, report: ReportProblem): Scrutiny {
  const trust = createTrust(rules, report)
  const revocations = createRevocations(rules, report)
  const ocsp = createOcsp(rules, clock, report)

  /** Every certificate of a path but the last has to stand in no list of the one above it. */
  function doubtByLists(path: readonly Certificate[], now: number): string | undefined {
    for (const [at, issuer] of path.slice(1).entries()) {
      const below = path[at]
      const refusal = below && revocations.refusal(below, issuer, now)
      if (refusal !== undefined) return at === 0 ? refusal : `below a CA that is ${refusal}`
    }
    return undefined
  }

  return {
    asksForCa: trust.isConfigured,

    async doubt(certificate) {
      const now = clock.now()
      const unfit = unfitness(certificate, now, rules)
      if (unfit !== undefined || !trust.isConfigured) return unfit?.reason
      const path = trust.pathOf(certificate, now)
      const [issuer] = path ?? []
      if (path === undefined || issuer === undefined) return 'of no configured CA'
      return doubtByLists([certificate, ...path], now) ?? ocsp.refusal(certificate, issuer)
    },

    checkRegistrable(certificate) {
      const now = clock.now()
      const unfit = unfitness(certificate, now, rules)
      if (unfit !== undefined) throw unusable(unfit.advice)
      if (!trust.isConfigured) return
      const path = trust.pathOf(certificate, now)
      if (path === undefined)
        throw unusable(
          'None of the CAs in smartcard.clientCa has issued this certificate, directly or through smartcard.intermediates.',
        )
      if (doubtByLists([certificate, ...path], now)?.endsWith('revoked'))
        throw unusable('The certificate, or a CA above it, was revoked: have a new one issued.')
    },

    alarms: () => revocations.alarms(trust.authorities(), clock.now()),
  }
}
