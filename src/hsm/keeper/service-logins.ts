import { mayLogIn } from '../../access/capabilities.ts'
import { randomSessionToken, sessionTokenHash } from '../../access/session-token-form.ts'
import type { ServiceConfig } from '../../config/service-section.ts'
import { refused } from '../assertion.ts'
import type { BegunService, ServiceEvidence } from '../login-request.ts'
import { random, seal } from '../pkcs11/seal-operations.ts'
import { composeRecord, identityBytes } from '../record-layouts.ts'
import type { SealedRecord } from '../sealed-record.ts'
import { hasEnded, readServiceAccount } from '../service-account.ts'
import type { BegunSessions } from './begun-sessions.ts'
import { createNoAccount } from './no-account.ts'
import { evidenceReaders } from './service-evidence.ts'
import { type NewestRecords, committedShown } from './shown-record.ts'
import type { ExpiringSet } from './expiring-set.ts'

export interface ServiceLoginsDependencies extends NewestRecords {
  readonly now: () => number
  readonly rules: Pick<ServiceConfig, 'enabled' | 'sessionMs' | 'allowStatic' | 'audience' | 'issuers'>
  /** Whether client certificates are enabled; if not, a worker cannot claim to have seen one. */
  readonly certificates: boolean
  readonly usedAssertions: ExpiringSet
  readonly begunSessions: Pick<BegunSessions, 'note'>
}

/**
 * Begins a session of a service account. There is no other way to begin one.
 * @throws Fault `login.refused`, whose detail gives the reason; also where there is no account
 */
export type LogInService = (account: SealedRecord | undefined, evidence: ServiceEvidence) => BegunService

export function createServiceLogins(on: ServiceLoginsDependencies): LogInService {
  const { token, now, rules, usedAssertions, begunSessions } = on
  const noAccount = createNoAccount(on)

  return (sealed, evidence) => {
    const service = sealed === undefined ? noAccount(evidence) : committedShown(on, 'service account', sealed).fields
    const account = readServiceAccount(service.account)
    const at = now()
    if (!rules.enabled) throw refused('service accounts are turned off')
    if (!mayLogIn(service.capabilities)) throw refused('the account is disabled')
    if (hasEnded(account, at)) throw refused('the account has ended')
    const { fits, usedUp, endsAt } = evidenceReaders[evidence.kind](evidence, { ...on, now: at, account: service })
    const found = account.credentials.find((credential) => fits(credential))
    if (sealed === undefined || found === undefined) throw refused('no credential of the account fits')
    if (hasEnded(found, at)) throw refused(`the credential ${found.id} has ended`)
    // Last, so that an assertion that is refused for another reason is not used up.
    if (usedUp !== undefined && !usedAssertions.add(usedUp.assertion, usedUp.goodUntil))
      throw refused('the assertion was used before')
    const sessionToken = randomSessionToken()
    const identity = random(token, identityBytes)
    const expiresAt = Math.min(
      at + rules.sessionMs,
      ...[account.expiresAt, found.expiresAt, endsAt].flatMap((end) => end ?? []),
    )
    const record = composeRecord('service session', {
      identity,
      tokenHash: sessionTokenHash(sessionToken),
      account: service.identity,
      credential: found.id,
      recoveries: service.recoveries,
      createdAt: at,
      expiresAt,
    })
    begunSessions.note({ account: service.identity, identity, expiresAt })
    const times = { createdAt: at, expiresAt }
    return { token: sessionToken, identity, seal: seal(token, record), ...times, credential: found.id, usedUp }
  }
}
