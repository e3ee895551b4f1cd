import type { MembershipKey } from '../access/permission.ts'
import { Not, type EntitySchema, type ObjectLiteral } from 'typeorm'
import { Fault } from '../fault.ts'
import { applicationKeyRecord } from '../features/auth/application-key.ts'
import { ApplicationKeyTable } from '../features/auth/application-key-records.ts'
import { certificateOf, sealedRecord } from '../features/certificates/records.ts'
import { deviceKey, devicesOf } from '../features/otp/records.ts'
import { UserTable } from '../features/users/records.ts'
import { userRecord } from '../features/users/user-seals.ts'
import { MembershipTable, RemovedMemberTable } from '../features/vaults/membership-records.ts'
import { VaultTable } from '../features/vaults/records.ts'
import { membershipRecord, type MembershipState, vaultRecord } from '../features/vaults/vault-seals.ts'
import type { Hsm, SealedRecord } from '../hsm/hsm.ts'
import { withFactor } from '../hsm/user-factors.ts'
import { afterCommit } from '../store/commit-work.ts'
import type { Reader, Store, Tx } from '../store/store.ts'
import { areGood, checkKeysTakenOver, naming } from './key-takeover.ts'

/** The record that a row gets sealed when it is taken over, and the columns that are set. */
type SealRow<Row> = (tx: Tx, row: Row, hsm: EarlierSealer) => Promise<Taken<Row>>

type EarlierSealer = Pick<Hsm, 'sealEarlier' | 'verify'>

interface Taken<Row> {
  readonly sealed: SealedRecord
  readonly columns: Partial<Row>
}

interface EarlierTable {
  /** A name for people. */
  readonly name: string
  countUnsealed(reader: Reader): Promise<number>
  /** Whether the table has rows, and none with a seal. */
  isUnsealed(reader: Reader): Promise<boolean>
  /** Seals a bounded number of rows; resolves to their records. */
  sealSome(tx: Tx, hsm: EarlierSealer): Promise<SealedRecord[]>
}

const noSeal = Buffer.alloc(0)
const rowsAtOnce = 200

function earlier<Row extends ObjectLiteral & { readonly seal: Buffer }>(
  name: string,
  table: EntitySchema<Row>,
  keys: readonly (keyof Row & string)[],
  sealRow: SealRow<Row>,
): EarlierTable {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every row of these tables has the column
  const where = { seal: noSeal } as object
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- likewise
  const sealed = { seal: Not(noSeal) } as object
  return {
    name,
    countUnsealed: (reader) => reader.countBy(table, where),
    isUnsealed: async (reader) => (await reader.existsBy(table, {})) && !(await reader.existsBy(table, sealed)),
    async sealSome(tx, hsm) {
      const records: SealedRecord[] = []
      for (const row of await tx.find(table, { where, take: rowsAtOnce })) {
        const key = Object.fromEntries(keys.map((column) => [column, row[column]]))
        const { sealed, columns } = await naming(`${name} ${Object.values(key).join(' of ')}`, sealRow(tx, row, hsm))
        await tx.update(table, key, { ...columns, seal: sealed.seal })
        records.push(sealed)
      }
      return records
    },
  }
}

/** Users and vaults come first, since memberships name their identities. */
const earlierTables: readonly EarlierTable[] = [
  earlier('user', UserTable, ['id'], async (tx, row, hsm) => {
    const user = { ...row, factors: await sealedFactors(tx, row.id, hsm) }
    const { identity, seal } = await hsm.sealEarlier(userRecord(user))
    const { factors } = user
    return { sealed: { record: userRecord({ ...user, identity }), seal }, columns: { identity, factors } }
  }),
  earlier('application key', ApplicationKeyTable, ['id'], async (_tx, key, hsm) => {
    const { identity, seal } = await hsm.sealEarlier(applicationKeyRecord(key))
    return { sealed: { record: applicationKeyRecord({ ...key, identity }), seal }, columns: { identity } }
  }),
  earlier('vault', VaultTable, ['id'], async (_tx, { identity, creator }, hsm) => {
    const record = vaultRecord(Buffer.from(identity, 'hex'), creator)
    return { sealed: { record, seal: (await hsm.sealEarlier(record)).seal }, columns: {} }
  }),
  earlier('member', MembershipTable, ['userId', 'vaultId'], (tx, row, hsm) => sealMember(tx, hsm, row, row)),
  earlier('removed member', RemovedMemberTable, ['userId', 'vaultId'], (tx, row, hsm) =>
    sealMember(tx, hsm, row, { ...row, permission: 0, grants: null }),
  ),
]

/**
 * The devices and the certificate of a user that have valid seals. An edited row is not accepted as a second factor.
 */
async function sealedFactors(tx: Tx, userId: number, hsm: EarlierSealer): Promise<Buffer> {
  const card = await certificateOf(tx, userId)
  const rows = [
    ...(await devicesOf(tx, userId)).map((device) => deviceKey(device).key),
    ...(card === null ? [] : [sealedRecord(card)]),
  ]
  let factors: Buffer = noSeal
  for (const row of rows) if (await areGood(hsm, row)) factors = withFactor(factors, row.record)
  return factors
}

async function sealMember(tx: Tx, hsm: EarlierSealer, { vaultId, userId }: MembershipKey, state: MembershipState) {
  const vault = await tx.findOneByOrFail(VaultTable, { id: vaultId })
  const user = await tx.findOneByOrFail(UserTable, { id: userId })
  const { permission, recoveries, generation } = state
  // That release had no grants: a row with grants was edited.
  const record = membershipRecord({ vault, user }, { permission, grants: null, recoveries, generation })
  return { sealed: { record, seal: (await hsm.sealEarlier(record)).seal }, columns: {} }
}

async function countUnsealed(reader: Reader): Promise<number> {
  let count = 0
  for (const table of earlierTables) count += await table.countUnsealed(reader)
  return count
}

/**
 * A single row without a seal was edited or inserted: it is refused where it is used, and does not stop the others.
 * @throws Fault `store.unavailable` while no row of a table has been taken over
 */
export async function checkTakenOver(reader: Reader): Promise<void> {
  for (const table of earlierTables)
    if (await table.isUnsealed(reader))
      throw new Fault(
        'store.unavailable',
        `No ${table.name} in the database bears a seal: it is of an earlier release. Run "strongroom init", which seals its rows once.`,
      )
  await checkKeysTakenOver(reader)
}

/**
 * Seals the rows of an earlier release, some per transaction, so that an interrupted takeover continues where it
 * stopped. Resolves to the number of rows.
 * @throws Fault `hsm.rejected` for unsealed rows that appear after `endTakeover`
 */
export async function takeOverRows(
  store: Store,
  hsm: EarlierSealer & Pick<Hsm, 'raise'>,
  progress: (done: number, total: number) => void,
): Promise<number> {
  const total = await countUnsealed(store.read)
  let done = 0
  for (const table of earlierTables) {
    for (let last = rowsAtOnce; last === rowsAtOnce;) {
      last = await store.transaction(async (tx) => {
        const records = await table.sealSome(tx, hsm)
        afterCommit(tx, () => hsm.raise(records))
        return records.length
      })
      done += last
      if (last > 0) progress(done, total)
    }
  }
  return done
}
