import type { MembershipKey } from '../access/permission.ts'
import type { EntitySchema, ObjectLiteral } from 'typeorm'
import { applicationKeyRecord } from '../features/auth/application-key.ts'
import { ApplicationKeyTable } from '../features/auth/application-key-records.ts'
import { SessionTokenTable } from '../features/auth/session-records.ts'
import { findSealedSession } from '../features/auth/session-seals.ts'
import { certificateRecord, UserCertificateTable } from '../features/certificates/records.ts'
import { PendingDestructionTable, TombstoneTable } from '../features/destruction/records.ts'
import { linkRecord } from '../features/links/link-seals.ts'
import { LinkTable } from '../features/links/records.ts'
import { clientRecord, ValidationClientTable } from '../features/otp-validation/records.ts'
import { deviceRecord, OtpDeviceTable } from '../features/otp/records.ts'
import { passkeyRecord, PasskeyTable } from '../features/passkeys/records.ts'
import { SiteTemplateTable, templateSealRecord } from '../features/templates/records.ts'
import { AcceptedBackupTable } from '../features/transparent/backup-origin-records.ts'
import { acceptanceRecord } from '../features/transparent/backup-origins.ts'
import { ImportJobTable } from '../features/transparent/import-job-records.ts'
import { jobRecord } from '../features/transparent/import-jobs.ts'
import { findKeyById, KeyVersionTable, TransparentKeyTable } from '../features/transparent/records.ts'
import { invocationsRecord, policyRecord, versionRecord } from '../features/transparent/sealing.ts'
import { findUserById, UserTable } from '../features/users/records.ts'
import { userRecord } from '../features/users/user-seals.ts'
import { MembershipTable, RemovedMemberTable } from '../features/vaults/membership-records.ts'
import { findVault, VaultTable } from '../features/vaults/records.ts'
import { sealedVaultKey } from '../features/vaults/vault-key.ts'
import { membershipRecord, type MembershipState, vaultRecord } from '../features/vaults/vault-seals.ts'
import { isFault } from '../fault.ts'
import type { Reader, Tx } from '../store/store.ts'
import { hasKey, type RowKey, rowKeyOf, rowsAfter } from '../store/table-rows.ts'
import { FloorBatchTable } from './floor-courier.ts'

/** A row with one of its seals. */
export interface SealedRow {
  /** A name for people. */
  readonly name: string
  readonly key: RowKey
  readonly seal: Buffer
  /** The record that the seal covers; undefined for a row that was edited so that no record can be made of it. */
  readonly record: Buffer | undefined
  /** False where the row has another seal meanwhile. */
  replace(tx: Tx, seal: Buffer): Promise<boolean>
}

/** All rows of one table with a seal, by the column of the seal. */
export interface SealedRows {
  readonly table: string
  readonly column: string
  count(reader: Reader): Promise<number>
  /** The next rows after a primary key, in the order of the primary key. */
  page(reader: Reader, behind: RowKey | undefined, limit: number): Promise<SealedRow[]>
}

type Bytes = Buffer | undefined
type RecordOf<Row> = (row: Row, reader: Reader) => Bytes | Promise<Bytes>

function rowsOf<Row extends ObjectLiteral>(
  table: EntitySchema<Row>,
  keys: readonly (keyof Row & string)[],
  recordOf: RecordOf<Row>,
  column: keyof Row & string = 'seal',
): SealedRows {
  async function sealedRow(reader: Reader, row: Row): Promise<SealedRow> {
    const [key, seal]: [RowKey, Buffer] = [rowKeyOf(keys, row), row[column]]
    return {
      name: `${table.options.tableName} ${key.join(' ')}`,
      key,
      seal,
      record: await composed(async () => recordOf(row, reader)),
      async replace(tx, next) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a column of this table
        return (
          (await tx.update(table, { ...hasKey(keys, key), [column]: seal }, { [column]: next } as object)).affected ===
          1
        )
      },
    }
  }

  return {
    table: table.options.tableName ?? table.options.name,
    column,
    count: (reader) => reader.countBy(table, {}),
    async page(reader, behind, take) {
      const rows = await rowsAfter(reader, table, behind, take)
      const sealed: SealedRow[] = []
      for (const row of rows) sealed.push(await sealedRow(reader, row))
      return sealed
    },
  }
}

/** Undefined for a row of which no record can be made. */
async function composed(make: () => Promise<Bytes>): Promise<Bytes> {
  try {
    return await make()
  } catch (error) {
    if (isFault(error, 'key.tampered') || error instanceof TypeError || error instanceof RangeError) return undefined
    throw error
  }
}

/** All seals in the database. A test compares them with the tables. */
export const sealedRows: readonly SealedRows[] = [
  rowsOf(UserTable, ['id'], (user) => userRecord(user)),
  rowsOf(ApplicationKeyTable, ['id'], (key) => applicationKeyRecord(key)),
  rowsOf(OtpDeviceTable, ['id'], (device) => deviceRecord(device)),
  rowsOf(PasskeyTable, ['id'], (passkey) => passkeyRecord(passkey)),
  rowsOf(UserCertificateTable, ['userId'], (certificate) => certificateRecord(certificate)),
  rowsOf(
    SessionTokenTable,
    ['hash'],
    async ({ hash }, reader) => (await findSealedSession(reader, hash))?.sealed.record,
  ),
  rowsOf(LinkTable, ['id'], async (link, reader) => {
    const maker = await findUserById(reader, link.userId)
    return maker === null ? undefined : linkRecord(link, maker.identity)
  }),
  rowsOf(VaultTable, ['id'], ({ identity, creator }) => vaultRecord(Buffer.from(identity, 'hex'), creator)),
  rowsOf(VaultTable, ['id'], (vault) => sealedVaultKey(vault).record, 'keySeal'),
  rowsOf(MembershipTable, ['vaultId', 'userId'], (member, reader) => recordOfMember(reader, member, member)),
  rowsOf(RemovedMemberTable, ['vaultId', 'userId'], (member, reader) =>
    recordOfMember(reader, member, { ...member, permission: 0, grants: null }),
  ),
  rowsOf(TransparentKeyTable, ['id'], async ({ id }, reader) => {
    const key = await findKeyById(reader, id)
    return key === null ? undefined : policyRecord(key)
  }),
  rowsOf(KeyVersionTable, ['keyId', 'version'], async (version, reader) => {
    const key = await findKeyById(reader, version.keyId)
    return key === null ? undefined : versionRecord(key, version)
  }),
  rowsOf(
    KeyVersionTable,
    ['keyId', 'version'],
    async ({ keyId, version, invocations }, reader) => {
      const key = await findKeyById(reader, keyId)
      return key === null ? undefined : invocationsRecord(key, version, invocations)
    },
    'invocationsSeal',
  ),
  rowsOf(ImportJobTable, ['id'], async (job, reader) => {
    const vault = await findVault(reader, job.vaultId)
    return vault === null ? undefined : jobRecord(job, Buffer.from(vault.identity, 'hex'))
  }),
  rowsOf(AcceptedBackupTable, ['vaultId', 'digest'], async (accepted, reader) => {
    const vault = await findVault(reader, accepted.vaultId)
    return vault === null ? undefined : acceptanceRecord(vault, accepted)
  }),
  rowsOf(ValidationClientTable, ['id'], (client) => clientRecord(client)),
  rowsOf(FloorBatchTable, ['machine', 'number'], ({ record }) => record),
  rowsOf(SiteTemplateTable, ['id'], (template) => templateSealRecord(template)),
  rowsOf(TombstoneTable, ['id'], ({ record }) => record),
  rowsOf(PendingDestructionTable, ['objectId'], ({ keyRecord }) => keyRecord, 'keySeal'),
  rowsOf(PendingDestructionTable, ['objectId'], ({ markRecord }) => markRecord, 'markSeal'),
]

/** All rows with a seal, table by table in pages; a row with two seals comes twice. */
export async function* sealedPages(reader: Reader): AsyncGenerator<readonly SealedRow[]> {
  for (const rows of sealedRows) yield* pagesOfTable(reader, rows)
}

const pageSize = 200

async function* pagesOfTable(reader: Reader, rows: SealedRows): AsyncGenerator<readonly SealedRow[]> {
  for (let page = await rows.page(reader, undefined, pageSize); page.length > 0;) {
    yield page
    page = await rows.page(reader, page.at(-1)?.key, pageSize)
  }
}

async function recordOfMember(
  reader: Reader,
  { vaultId, userId }: MembershipKey,
  { permission, grants, recoveries, generation }: MembershipState,
): Promise<Bytes> {
  const [vault, user] = [await findVault(reader, vaultId), await findUserById(reader, userId)]
  return vault === null || user === null
    ? undefined
    : membershipRecord({ vault, user }, { permission, grants, recoveries, generation })
}
