import { ApplicationKeyTable } from '../../features/auth/application-key-records.ts'
import { OtpDeviceTable } from '../../features/otp/records.ts'
import { UserTable } from '../../features/users/records.ts'
import { readCheck } from '../../hsm/peppered-check.ts'
import { passphraseCheckBytes, pepperedBytes } from '../../hsm/peppered-text.ts'
import type { OpenedRecord } from '../../hsm/record-layouts.ts'
import { readServiceAccount } from '../../hsm/service-account.ts'
import type { Reader } from '../../store/store.ts'
import { count } from '../output/command-answer.ts'

/** The number of check values that one version of the pepper made. */
export interface PepperUsage {
  readonly passphrases: number
  readonly applicationKeys: number
  /** Static keys of service accounts. */
  readonly staticKeys: number
  /** Second factors, by the check values of seeds and of hardware tokens' private ids. */
  readonly devices: number
}

export async function pepperUsage(reader: Reader, version: number): Promise<PepperUsage> {
  const users = await reader.find(UserTable, { select: { id: true, passphraseCheck: true, service: true } })
  const keys = await reader.find(ApplicationKeyTable, { select: { id: true, keyCheck: true, revokedAt: true } })
  const devices = await reader.find(OtpDeviceTable, {
    select: { id: true, seedCheck: true, privateIdCheck: true, seal: true },
  })
  const isOf = (check: Buffer | null): boolean => check !== null && versionOf(check) === version
  return {
    passphrases: users.filter(({ passphraseCheck }) => isOf(passphraseCheck)).length,
    applicationKeys: keys.filter(({ keyCheck, revokedAt }) => revokedAt === null && isOf(keyCheck)).length,
    staticKeys: users.flatMap(({ service }) => staticChecks(service)).filter(isOf).length,
    // A device without a seal was destroyed.
    devices: devices.filter(
      ({ seedCheck, privateIdCheck, seal }) => seal.length > 0 && [seedCheck, privateIdCheck].some(isOf),
    ).length,
  }
}

/** The versions of the pepper that made the check values in a record; none for one that was revoked. */
export function peppersIn({ type, fields }: OpenedRecord): number[] {
  const checks =
    type === 'user'
      ? [fields.passphraseCheck]
      : type === 'service account'
        ? staticChecks(fields.account)
        : type === 'application key' && fields.revokedAt === null
          ? [fields.keyCheck]
          : type === 'otp' && fields.privateIdCheck !== null
            ? [fields.privateIdCheck]
            : []
  return checks.flatMap((check) => versionOf(check) ?? [])
}

const versionOf = (check: Buffer): number | undefined => readCheck(check, passphraseCheckBytes, pepperedBytes)?.version

/**
 * The check values of static keys; none for an account that is unreadable after an edit, because no application can log
 * in to it.
 */
function staticChecks(service: string | null): Buffer[] {
  if (service === null) return []
  try {
    const { credentials } = readServiceAccount(service)
    return credentials.flatMap((one) => (one.kind === 'static' ? [Buffer.from(one.check, 'base64')] : []))
  } catch {
    return []
  }
}

/** The usage in words, with the remedy for each kind. */
export function pepperWords({ passphrases, applicationKeys, staticKeys, devices }: PepperUsage): {
  readonly what: string
  readonly remedy: string
}[] {
  return [
    { number: passphrases, word: 'pass phrase', remedy: 'each is made again when its user logs in' },
    { number: applicationKeys, word: 'application key', remedy: 'make each again, revoke the old one' },
    {
      number: staticKeys,
      word: 'static key',
      remedy: 'add a new credential to each service account, take the old one away',
    },
    { number: devices, word: 'second factor', remedy: 'enrol each holder again' },
  ]
    .filter(({ number }) => number > 0)
    .map(({ number, word, remedy }) => ({ what: count(number, word), remedy }))
}
