import type { Service } from '../../features/services/described-service.ts'
import { onHoldSentence, serviceRecord } from '../../features/services/routes/service-record.ts'
import { isAddressRange } from '../../access/address-list.ts'
import { systemClock } from '../../clock.ts'
import { UsageError } from '../exit-code.ts'
import { dateOf, table, type Answer } from '../output/command-answer.ts'

export const endText = (at: number | null): string => (at === null ? 'never' : dateOf(at))

/** The answer of commands on one account. */
export function describeService(service: Service, said: string, putsOnHold = false): Answer {
  return { json: serviceRecord(service), lines: [said, ...linesOf(service), ...onHoldSentence(putsOnHold)] }
}

function linesOf({ id, description, owner, account, isActive, uses }: Service): string[] {
  const credentials = account.credentials.map((credential) => {
    const use = uses.find((one) => one.credential === credential.id)
    const used = use === undefined ? 'not used yet' : `${dateOf(use.usedAt)} from ${use.address}`
    return [credential.id, credential.kind, credential.name, endText(credential.expiresAt), used]
  })
  return [
    `id           ${id}`,
    `description  ${description || 'none'}`,
    `owner        ${owner?.username ?? 'unknown'}`,
    `addresses    ${account.addresses.join(', ') || 'any'}`,
    `ends         ${endText(account.expiresAt)}`,
    `may log in   ${mayLogIn(isActive, account.expiresAt)}`,
    ...(credentials.length === 0
      ? ['credentials  none: strongroom service credential-add']
      : table([['CREDENTIAL', 'KIND', 'NAME', 'ENDS (UTC)', 'LAST USED (UTC)'], ...credentials])),
  ]
}

function mayLogIn(isActive: boolean, endsAt: number | null): string {
  if (!isActive) return 'no'
  return endsAt !== null && endsAt <= systemClock.now() ? 'no: it has ended' : 'yes'
}

/** Parses a date such as 2027-01-31, a time in UTC, or `never` (null). @throws UsageError */
export function endOf(text: string | undefined): number | null | undefined {
  if (text === undefined || text === 'never') return text === undefined ? undefined : null
  const at = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) throw new UsageError(`${text} is not a time: give 2027-01-31, 2027-01-31T18:00Z or never.`)
  return at
}

/** The addresses of `--address`; a single `any` gives an empty list. @throws UsageError */
export function addressesOf(given: readonly string[] | undefined): readonly string[] | undefined {
  if (given === undefined) return undefined
  if (given.length === 1 && given[0] === 'any') return []
  const wrong = given.find((address) => !isAddressRange(address))
  if (wrong !== undefined)
    throw new UsageError(
      `${wrong} is not an address: give IP addresses or ranges such as 192.0.2.0/24, or only the word any.`,
    )
  return given
}
