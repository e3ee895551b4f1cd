import { In, IsNull, Not } from 'typeorm'
import { OtpDeviceTable } from '../../features/otp/records.ts'
import { ValidationClientTable } from '../../features/otp-validation/records.ts'
import { ImportJobTable } from '../../features/transparent/import-job-records.ts'
import { KeyVersionTable, TransparentKeyTable, type TransparentKey } from '../../features/transparent/records.ts'
import { UserTable } from '../../features/users/records.ts'
import { VaultTable } from '../../features/vaults/records.ts'
import { groupsOf } from '../../groups.ts'
import { tokenObjectKek, vaultKek } from '../../hsm/key-kind.ts'
import type { Reader } from '../../store/store.ts'

/** One kind of rows that name a KEK. */
interface Use {
  /** The words for one row and for several. */
  readonly words: readonly [one: string, several: string]
  readonly count: (reader: Reader, keks: readonly string[]) => Promise<number>
  /** How such rows get the newest KEK or disappear. Rows without a remedy do not need the KEK. */
  readonly remedy?: string
}

const uses = {
  keyVersions: {
    words: ['version of a key', 'versions of keys'],
    count: (reader, keks) => reader.countBy(KeyVersionTable, { kek: In([...keks]) }),
    remedy: 'rotate each key, rewrap what it encrypted, trim it',
  },
  backups: {
    words: ['backup of a version', 'backups of versions'],
    count: (reader, keks) => reader.countBy(KeyVersionTable, { backupKek: In([...keks]) }),
    remedy: 'rotate and trim each key, or let it have no backup',
  },
  vaultKeys: {
    words: ['vault key', 'vault keys'],
    count: (reader, keks) => reader.countBy(VaultTable, { keyKek: In([...keks]) }),
    remedy: 'move what is in each vault into a new one',
  },
  devices: {
    words: ['second factor', 'second factors'],
    count: (reader, keks) => reader.countBy(OtpDeviceTable, { kek: In([...keks]) }),
    remedy: 'enrol each holder again',
  },
  validationClients: {
    words: ['client of the validator', 'clients of the validator'],
    count: (reader, keks) => reader.countBy(ValidationClientTable, { kek: In([...keks]), revokedAt: IsNull() }),
    remedy: 'make each again, revoke the old one',
  },
  importJobs: {
    words: ['import job', 'import jobs'],
    count: (reader, keks) => reader.countBy(ImportJobTable, { kek: In([...keks]) }),
    remedy: 'they end within a day',
  },
  revokedClients: {
    words: ['revoked client', 'revoked clients'],
    count: (reader, keks) => reader.countBy(ValidationClientTable, { kek: In([...keks]), revokedAt: Not(IsNull()) }),
  },
  // These keys only served to make the fingerprint.
  userKeys: {
    words: ['private key of a user, which nothing uses', 'private keys of users, which nothing uses'],
    count: (reader, keks) => reader.countBy(UserTable, { keyKek: In([...keks]) }),
  },
} as const satisfies Readonly<Record<string, Use>>

/** The number of rows of each kind that name one of some KEKs. */
export type KekUsage = Readonly<Record<keyof typeof uses, number>>

const kindsOfUse: readonly [keyof typeof uses, Use][] = [
  ['keyVersions', uses.keyVersions],
  ['backups', uses.backups],
  ['vaultKeys', uses.vaultKeys],
  ['devices', uses.devices],
  ['validationClients', uses.validationClients],
  ['importJobs', uses.importJobs],
  ['revokedClients', uses.revokedClients],
  ['userKeys', uses.userKeys],
]

export async function usageOf(reader: Reader, keks: readonly string[]): Promise<KekUsage> {
  const counts = await Promise.all(kindsOfUse.map(async ([name, { count }]) => [name, await count(reader, keks)]))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every kind of use has its count
  return Object.fromEntries(counts) as KekUsage
}

/** The number of rows that name one of these KEKs. A row counts once for each name. */
export async function countUnder(reader: Reader, keks: readonly string[]): Promise<number> {
  return Object.values(await usageOf(reader, keks)).reduce((sum, one) => sum + one, 0)
}

/** The number of rows that name other KEKs than these. */
export async function countUnderOthers(reader: Reader, keks: readonly string[]): Promise<number> {
  const others = Not(In([...keks, tokenObjectKek, vaultKek, '']))
  const counts = await Promise.all([
    reader.countBy(KeyVersionTable, { kek: others }),
    reader.countBy(KeyVersionTable, { backupKek: others }),
    reader.countBy(VaultTable, { keyKek: others }),
    reader.countBy(OtpDeviceTable, { kek: others }),
    reader.countBy(ValidationClientTable, { kek: others, revokedAt: IsNull() }),
  ])
  return counts.reduce((sum, one) => sum + one, 0)
}

/** Whether data would be lost with the KEK. */
export function isNeeded(usage: KekUsage): boolean {
  return kindsOfUse.some(([name, { remedy }]) => remedy !== undefined && usage[name] > 0)
}

/** The usage in words, with the remedy for each kind. */
export function wordsOf(usage: KekUsage): { readonly what: string; readonly remedy: string | undefined }[] {
  return kindsOfUse
    .filter(([name]) => usage[name] > 0)
    .map(([name, { words, remedy }]) => ({ what: `${usage[name]} ${words[usage[name] === 1 ? 0 : 1]}`, remedy }))
}

/** A key with versions or backups that a certain KEK wraps. */
export interface KeyUnder extends Pick<
  TransparentKey,
  | 'vaultId'
  | 'name'
  | 'type'
  | 'latestVersion'
  | 'minEncryptionVersion'
  | 'minDecryptionVersion'
  | 'allowDelete'
  | 'deletedAt'
> {
  /** In ascending order. */
  readonly versions: readonly number[]
}

/** A range of ascending versions in words. */
export function rangeOf(versions: readonly number[]): string {
  const [first, last] = [versions[0], versions.at(-1)]
  return first === last ? String(first) : `${first} to ${last}`
}

export async function keysUnder(reader: Reader, kek: string): Promise<KeyUnder[]> {
  const found = await reader.find(KeyVersionTable, {
    select: { keyId: true, version: true },
    where: [{ kek }, { backupKek: kek }],
    order: { keyId: 'ASC', version: 'ASC' },
  })
  const byKey = new Map<number, number[]>()
  for (const { keyId, version } of found) byKey.set(keyId, [...(byKey.get(keyId) ?? []), version])
  const pages = [...groupsOf([...byKey.keys()], mostParameters)]
  const keys = (await Promise.all(pages.map((ids) => keysOf(reader, ids)))).flat()
  return keys.map((key) => ({ ...key, versions: byKey.get(key.id) ?? [] }))
}

const keysOf = (reader: Reader, ids: readonly number[]) =>
  reader.find(TransparentKeyTable, { where: { id: In([...ids]) }, order: { id: 'ASC' } })

/** The databases limit the parameters of a statement to some ten thousand. */
const mostParameters = 1_000
