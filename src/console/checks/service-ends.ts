import { mayLogIn } from '../../access/capabilities.ts'
import type { Config } from '../../config/schema.ts'
import { describedServices, type Service } from '../../features/services/described-service.ts'
import { dayMs } from '../../monitor/judgement.ts'
import { withStore } from '../console-context.ts'
import { count } from '../output/command-answer.ts'
import { findingsOf, type Check, type Finding } from './findings.ts'
import { isMigrated } from './vaults.ts'

const topic = 'services'
const { ok, warning } = findingsOf(topic)

/** Finds service accounts and credentials that expire soon or have expired, and accounts whose owner cannot log in. */
export const serviceAccountsCheck: Check = {
  topic,
  async run(config) {
    if (!(await isMigrated(config))) return []
    const services = await withStore(config, ({ read }) => describedServices(read))
    const active = services.filter(({ isActive }) => isActive)
    const findings = active.flatMap((service) => findingsOn(service, config, Date.now()))
    return findings.length > 0 ? findings : [ok(`${count(active.length, 'service account')}, none near its end`)]
  },
}

function findingsOn(service: Service, { warnings, service: rules }: Config, now: number): Finding[] {
  const { name, owner, account } = service
  const soon = now + warnings.certificateDays * dayMs
  const findings: Finding[] = []
  if (owner === null || !mayLogIn(owner.capabilities))
    findings.push(
      warning(
        `the owner of the service account ${name} (${owner?.username ?? 'unknown'}) cannot log in`,
        `Name another one: strongroom service edit ${name} --owner USER. The account's memberships are then on hold until they are confirmed.`,
      ),
    )
  if (account.expiresAt !== null && account.expiresAt <= soon)
    findings.push(
      warning(
        `the service account ${name} ${endsText(account.expiresAt, now)}`,
        `Its owner moves the end, or: strongroom service edit ${name} --expires TIME, or: strongroom service remove ${name}.`,
      ),
    )
  for (const credential of account.credentials) {
    if (credential.expiresAt !== null && credential.expiresAt <= soon)
      findings.push(
        warning(
          `the credential ${credential.id} (${credential.name}) of the service account ${name} ${endsText(credential.expiresAt, now)}`,
          'Its owner adds the next one beside it, moves the application to it, and takes this one away.',
        ),
      )
    if (credential.kind === 'static' && !rules.allowStatic)
      findings.push(
        warning(
          `the service account ${name} has a static key (${credential.id}), which service.allowStatic does not let in`,
          `Give it another credential, and take this one away: strongroom service credential-remove ${name} ${credential.id}`,
        ),
      )
  }
  return findings
}

const endsText = (at: number, now: number): string =>
  `${at <= now ? 'ended on' : 'ends on'} ${new Date(at).toISOString().slice(0, 10)}`
