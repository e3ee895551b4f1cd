import { hash, timingSafeEqual } from 'node:crypto'
import { Fault } from '../../fault.ts'
import type { ServiceEvidence } from '../login-request.ts'
import { readCheck } from '../peppered-check.ts'
import { applicationKeyText, pepperedBytes } from '../peppered-text.ts'
import { pepperVersions } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { peppered } from './passphrase-judge.ts'
import {
  type AssertionContext,
  type ReadEvidence,
  readFederatedAssertion,
  readOwnAssertion,
} from './service-assertions.ts'
import { readShownCertificate } from './service-certificate.ts'

/** What evidence is checked against. */
export interface EvidenceContext extends AssertionContext {
  readonly token: Token
  readonly rules: AssertionContext['rules'] & { readonly allowStatic: boolean }
  readonly certificates: boolean
}

/**
 * Readers of each kind of evidence. The evidence is parsed once, and then compared with the credentials.
 * @throws Fault `login.refused`
 */
export const evidenceReaders: Readonly<
  Record<ServiceEvidence['kind'], (evidence: ServiceEvidence, context: EvidenceContext) => ReadEvidence>
> = {
  certificate({ shown }, { certificates, now }) {
    if (!certificates) throw new Fault('login.refused', 'certificates of clients are not read here')
    const sha256 = hash('sha256', shown)
    const certificate = readShownCertificate(Buffer.from(shown), now)
    return {
      endsAt: certificate.endsAt,
      fits: (credential) =>
        (credential.kind === 'certificate' && credential.sha256 === sha256) ||
        (credential.kind === 'ca' && certificate.isIssuedBy(credential)),
    }
  },

  jwt: readOwnAssertion,
  federated: readFederatedAssertion,

  static({ shown }, { token, rules }) {
    if (!rules.allowStatic) throw new Fault('login.refused', 'static keys are turned off (service.allowStatic)')
    if (shown.length > longestKey) throw new Fault('login.refused', 'the key is too long')
    // Once per version of the pepper, however many credentials there are.
    const made = new Map(
      pepperVersions(token).map((version) => [
        version,
        peppered(token, version, applicationKeyText(Buffer.from(shown))),
      ]),
    )
    return {
      fits(credential) {
        if (credential.kind !== 'static') return false
        const read = readCheck(Buffer.from(credential.check, 'base64'), pepperedBytes)
        const own = read && made.get(read.version)
        return own !== undefined && timingSafeEqual(own, read?.rest ?? Buffer.alloc(pepperedBytes))
      },
    }
  },
}

const longestKey = 256
