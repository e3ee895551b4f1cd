import { MigrationExecutor, type DataSource } from 'typeorm'
import { Fault } from '../fault.ts'
import { Foundation1700000000001 } from './migrations/0001-foundation.ts'
import {
  KeyLife1700000000002,
  OtpKinds1700000000003,
  ValidationClients1700000000004,
  Certificates1700000000005,
  Sessions1700000000006,
  People1700000000007,
  VaultKeys1700000000008,
} from './migrations/0002-to-0008.ts'
import { Objects1700000000009 } from './migrations/0009-objects.ts'
import {
  Templates1700000000010,
  Vaults1700000000011,
  SessionCertificates1700000000012,
} from './migrations/0010-to-0012.ts'
import { Recoveries1700000000013 } from './migrations/0013-recoveries.ts'
import { ImportJobs1700000000014 } from './migrations/0014-import-jobs.ts'
import { KeyIdentities1700000000015 } from './migrations/0015-key-identities.ts'
import { BackupOrigins1700000000016 } from './migrations/0016-backup-origins.ts'
import { SealedPeople1700000000017 } from './migrations/0017-sealed-people.ts'
import { SealedSessions1700000000018 } from './migrations/0018-sealed-sessions.ts'
import { TwoWrappings1700000000020 } from './migrations/0020-two-wrappings.ts'
import { Destructions1700000000025 } from './migrations/0025-destructions.ts'
import { FactorsOfUsers1700000000027 } from './migrations/0027-factors-of-users.ts'
import { FloorNews1700000000028 } from './migrations/0028-floor-news.ts'
import { IndicesOfChores1700000000029 } from './migrations/0029-indices-of-chores.ts'
import { LoginNetworks1700000000030 } from './migrations/0030-login-networks.ts'
import { IndicesOfMonitor1700000000033 } from './migrations/0033-indices-of-monitor.ts'
import { ServiceAccounts1700000000034 } from './migrations/0034-service-accounts.ts'
import { NarrowerRights1700000000035 } from './migrations/0035-narrower-rights.ts'
import { UsedAssertions1700000000036 } from './migrations/0036-used-assertions.ts'
import { OneTimeLinks1700000000037 } from './migrations/0037-one-time-links.ts'
import { Passkeys1700000000038 } from './migrations/0038-passkeys.ts'
import { Trash1700000000039 } from './migrations/0039-trash.ts'
import { EarlierVersions1700000000040 } from './migrations/0040-earlier-versions.ts'
import { Tags1700000000041 } from './migrations/0041-tags.ts'
import { IndicesOfLimits1700000000042 } from './migrations/0042-indices-of-limits.ts'
import { HashedLoginNames1700000000043 } from './migrations/0043-hashed-login-names.ts'

/** The table that names the migrations which were applied. */
export const migrationsTable = 'migrations'

/** Every change of the tables since the first release, in order. A released one is never edited. */
export const migrations = [
  Foundation1700000000001,
  KeyLife1700000000002,
  OtpKinds1700000000003,
  ValidationClients1700000000004,
  Certificates1700000000005,
  Sessions1700000000006,
  People1700000000007,
  VaultKeys1700000000008,
  Objects1700000000009,
  Templates1700000000010,
  Vaults1700000000011,
  SessionCertificates1700000000012,
  Recoveries1700000000013,
  ImportJobs1700000000014,
  KeyIdentities1700000000015,
  BackupOrigins1700000000016,
  SealedPeople1700000000017,
  SealedSessions1700000000018,
  TwoWrappings1700000000020,
  Destructions1700000000025,
  FactorsOfUsers1700000000027,
  FloorNews1700000000028,
  IndicesOfChores1700000000029,
  LoginNetworks1700000000030,
  IndicesOfMonitor1700000000033,
  ServiceAccounts1700000000034,
  NarrowerRights1700000000035,
  UsedAssertions1700000000036,
  OneTimeLinks1700000000037,
  Passkeys1700000000038,
  Trash1700000000039,
  EarlierVersions1700000000040,
  Tags1700000000041,
  IndicesOfLimits1700000000042,
  HashedLoginNames1700000000043,
]

export interface MigrateOptions {
  /** The sentence that refuses a database without tables, where it must not be filled. */
  readonly refusalOfEmpty?: string
}

/**
 * Applies the migrations that the database lacks, each in a transaction of its own.
 * @throws Fault `store.unavailable` that names the migration which failed, or with `refusalOfEmpty`
 */
export async function migrate(
  source: DataSource,
  { refusalOfEmpty }: MigrateOptions,
  runner = source.createQueryRunner(),
): Promise<void> {
  if (refusalOfEmpty !== undefined && !(await runner.hasTable(migrationsTable)))
    throw new Fault('store.unavailable', refusalOfEmpty)
  const executor = new MigrationExecutor(source, runner)
  executor.transaction = 'each'
  try {
    await executor.executePendingMigrations()
  } catch (cause) {
    const pending = await executor.getPendingMigrations().catch(() => [])
    throw new Fault(
      'store.unavailable',
      `The database cannot be brought up to this release: the migration ${pending[0]?.name ?? ''} failed and was undone. Mend what the database says of it, and start again.`,
      { cause },
    )
  }
}
