import type { PresentedCertificate } from '../../access/caller.ts'
import { Fault } from '../../fault.ts'
import { readAssertion } from '../../hsm/assertion.ts'
import type { ServiceEvidence } from '../../hsm/login-request.ts'
import type { Certificates } from '../certificates/user-certificates.ts'
import type { IssuerKeys } from './issuer-keys.ts'

/** What an application shows to log in to a service account. */
export type ShownCredential =
  | { readonly kind: 'certificate'; readonly presented: PresentedCertificate | undefined }
  | { readonly kind: 'jwt'; readonly assertion: string }
  | { readonly kind: 'federated'; readonly assertion: string }
  | { readonly kind: 'static'; readonly key: string }

export interface EvidenceDependencies {
  readonly certificates: Pick<Certificates, 'presentedReason'>
  readonly issuerKeys: IssuerKeys
}

/**
 * The evidence for the keeper. For a certificate, it states that the TLS client holds the private key.
 * @throws Fault `login.refused`
 */
export async function evidenceOf(
  { certificates, issuerKeys }: EvidenceDependencies,
  shown: ShownCredential,
): Promise<ServiceEvidence> {
  if (shown.kind === 'static') return { kind: 'static', shown: Buffer.from(shown.key) }
  if (shown.kind === 'certificate') return certificateEvidence(certificates, shown.presented)
  const bytes = Buffer.from(shown.assertion)
  if (shown.kind === 'jwt') return { kind: 'jwt', shown: bytes }
  const { claims, keyId } = readAssertion(bytes)
  const issuer = typeof claims['iss'] === 'string' ? claims['iss'] : ''
  return { kind: 'federated', shown: bytes, issuerKeys: await issuerKeys.of(issuer, keyId) }
}

async function certificateEvidence(
  certificates: EvidenceDependencies['certificates'],
  presented: PresentedCertificate | undefined,
): Promise<ServiceEvidence> {
  if (presented === undefined) throw new Fault('login.refused', 'no certificate was presented')
  const reason = await certificates.presentedReason(presented)
  if (reason !== undefined) throw new Fault('login.refused', reason)
  return { kind: 'certificate', shown: presented.der }
}

/**
 * The account that an application's assertion names in `sub`. The keeper checks that a key of that account has signed
 * it.
 * @throws Fault `login.refused`
 */
export function subjectOf(assertion: string): string {
  const { sub } = readAssertion(Buffer.from(assertion)).claims
  if (typeof sub !== 'string' || sub.length > longestName)
    throw new Fault('login.refused', 'the assertion names no account')
  return sub
}

const longestName = 128
