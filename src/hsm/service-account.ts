import { isAddressRange } from '../access/address-list.ts'
import { matching, objectIn, readCredential, time, type ServiceCredential } from './service-credential.ts'

/**
 * The part of a service account that is sealed as text (column `users.service`), besides the other columns of its row.
 */
export interface ServiceAccount {
  /** The identity of the user who owns it, 32 hexadecimal digits. */
  readonly owner: string
  /** The number of the owner's recoveries when that user became the owner: see `service-rules.ts`. */
  readonly ownerRecoveries: number
  /** IP addresses and ranges from which it may log in and make calls; empty for any address. */
  readonly addresses: readonly string[]
  /** When it expires, in milliseconds since the Unix epoch; null: never. */
  readonly expiresAt: number | null
  readonly credentials: readonly ServiceCredential[]
}

export const mostCredentials = 16
const mostAddresses = 64
const mostCharacters = 32_768

/** The canonical text that is sealed, with members in a fixed order. @throws TypeError */
export function serviceText(account: ServiceAccount): string {
  const text = JSON.stringify(accountIn(account))
  if (text.length > mostCharacters) throw new TypeError('the account takes too many characters')
  return text
}

/** @throws TypeError, SyntaxError for any text that `serviceText` does not make */
export function readServiceAccount(text: string): ServiceAccount {
  if (text.length > mostCharacters) throw new TypeError('the account takes too many characters')
  const account = accountIn(JSON.parse(text))
  if (JSON.stringify(account) !== text) throw new TypeError('the account is not in its canonical form')
  return account
}

function accountIn(raw: unknown): ServiceAccount {
  const { owner, ownerRecoveries, addresses, expiresAt, credentials } = objectIn(raw)
  const list = listIn(credentials, mostCredentials).map(readCredential)
  if (new Set(list.map(({ id }) => id)).size !== list.length) throw new TypeError('two credentials of one id')
  return {
    owner: matching(owner, /^[0-9a-f]{32}$/),
    ownerRecoveries: time(ownerRecoveries),
    addresses: listIn(addresses, mostAddresses).map(addressIn),
    expiresAt: expiresAt === null ? null : time(expiresAt),
    credentials: list,
  }
}

function listIn(raw: unknown, most: number): readonly unknown[] {
  if (!Array.isArray(raw) || raw.length > most) throw new TypeError('no list, or one that is too long')
  return raw
}

function addressIn(raw: unknown): string {
  if (typeof raw !== 'string' || !isAddressRange(raw)) throw new TypeError('no address')
  return raw
}

/** Whether the account has expired at this time. */
export const hasEnded = ({ expiresAt }: Pick<ServiceAccount, 'expiresAt'>, now: number): boolean =>
  expiresAt !== null && now >= expiresAt
