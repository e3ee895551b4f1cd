import { DataSource, EntitySchema, In, MoreThan } from 'typeorm'
import { expect, onTestFinished, test } from 'vitest'
import { bindNumbers } from '../../../src/store/bound-numbers.ts'
import { integer, nullable, primary, text } from '../../../src/store/columns.ts'

interface Account {
  readonly id: number
  readonly name: string
  readonly balance: number | null
}

const AccountTable = new EntitySchema<Account>({
  name: 'Account',
  tableName: 'accounts',
  columns: { id: primary(integer), name: text, balance: nullable(integer) },
})

async function givenAccounts() {
  const source = await new DataSource({
    type: 'better-sqlite3',
    database: ':memory:',
    entities: [AccountTable],
  }).initialize()
  onTestFinished(() => source.destroy())
  bindNumbers(source)
  await source.query('CREATE TABLE accounts (id INTEGER PRIMARY KEY, name TEXT NOT NULL, balance INTEGER) STRICT')
  const prepared = () => cacheOf(source).size
  return { manager: source.manager, prepared }
}

/** The statements that TypeORM keeps. */
function cacheOf(source: DataSource): ReadonlyMap<string, unknown> {
  return Reflect.get(source.createQueryRunner(), 'stmtCache')
}

test('rows with other numbers need no other statements', async () => {
  const { manager, prepared } = await givenAccounts()
  const use = async (id: number): Promise<void> => {
    await manager.insert(AccountTable, { id, name: `n${id}`, balance: id * 3 })
    await manager.update(AccountTable, { id, balance: MoreThan(id) }, { balance: () => 'balance + 1' })
    await manager.find(AccountTable, { where: { id: In([id, id + 1]) } })
    await manager.delete(AccountTable, { id })
  }
  await use(1)
  const before = prepared()
  for (let id = 2; id < 50; id++) await use(id)
  expect(prepared()).toBe(before)
})

test('they are the numbers that were given', async () => {
  const { manager } = await givenAccounts()
  const rows = [
    { id: 1, name: '7', balance: Number.MAX_SAFE_INTEGER },
    { id: 2, name: '7.0', balance: -1 },
    { id: 3, name: 'true', balance: null },
  ]
  await manager.insert(AccountTable, rows)
  expect(await manager.find(AccountTable, { order: { id: 'ASC' } })).toEqual(rows)
  expect(await manager.findOneBy(AccountTable, { balance: Number.MAX_SAFE_INTEGER })).toEqual(rows[0])
  // An integer is written to a text as one: not as 7.0.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what no type allows, and SQLite does
  expect(await manager.find(AccountTable, { where: { name: 7 as unknown as string } })).toEqual([rows[0]])
})
