import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tables } from '../../../src/daemon/tables.ts'
import { objectsOfVault } from '../../../src/features/objects/listed-object-records.ts'
import { searchPattern, selectUsers } from '../../../src/features/users/records.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/store.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'

const rows = 2_500

/**
 * Users, of whom two thirds have a hardware token; a vault with an object for each number, every fifth of which is
 * deleted.
 */
const statements = [
  `INSERT INTO users (id, username, fullname, email, capabilities, passphrase_salt, passphrase_check, passphrase_cost, key_kek, key_blob,
     public_key, fingerprint, created_at, search_text)
   SELECT i, 'user' || i, '', '', 131, '', '', '', '', '', '', '', 0, 'user' || i || '
' || CASE WHEN i % 2 = 0 THEN 'even' ELSE 'odd' END FROM numbers`,
  `INSERT INTO otp_devices (kind, public_id, user_id, key_kind, kek, blob, seal, counter, created_at)
   SELECT 'hwkey_otp', 'cc' || i, i, '', '', '', '', 0, 0 FROM numbers WHERE i % 3 <> 0`,
  `INSERT INTO vaults (id, name, policy_id, description, key_id, created_at) VALUES (1, 'v', 16, '', 'k', 0)`,
  `INSERT INTO vault_objects (vault_id, parent_id, template_id, name, name_given, public_fields, search_text, weak_fields, status,
     children, version, created_at, created_by, changed_at, changed_by, deleted_at)
   SELECT 1, 0, 1, 'object ' || i, 0, '{}', '', '[]', 128, 0, 1, 0, 1, 0, 1, CASE WHEN i % 5 = 0 THEN 1 END FROM numbers ORDER BY i`,
]

async function filled(place: { sqlite: string } | { postgresUrl: string }): Promise<Store> {
  const store = await openStore(place, tables)
  onTestFinished(() => store.close())
  await store.transaction(async (tx) => {
    await tx.query('CREATE TABLE numbers (i bigint PRIMARY KEY)')
    await tx.query(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) INSERT INTO numbers SELECT i FROM n`,
    )
    for (const statement of statements) await tx.query(statement)
  })
  return store
}

/** The number of times that other work has its turn until `work` resolves. */
async function turnsWithin(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await work()
  isOver = true
  return turns
}

/** Objects whose open fields are each short, but long together. */
const manyShort = `INSERT INTO vault_objects (vault_id, parent_id, template_id, name, name_given, public_fields, search_text, weak_fields,
     status, children, version, created_at, created_by, changed_at, changed_by)
   SELECT 2, 0, 1, 'o', 0, '{"host":"${'x'.repeat(490)}"}', '', '[]', 128, 0, 1, 0, 1, 0, 1
   FROM numbers CROSS JOIN (SELECT i AS j FROM numbers WHERE i <= 5) AS five`

async function areWhole(store: Store): Promise<void> {
  const users = await selectUsers(store.read, { pattern: searchPattern('', true) })
  expect(users.map(({ id }) => id)).toEqual(Array.from({ length: rows }, (_, at) => at + 1))
  expect(users.slice(999, 1_002).map(({ otpPrefixes }) => otpPrefixes)).toEqual([['cc1000'], ['cc1001'], []])
  expect(await selectUsers(store.read, { pattern: searchPattern('EVEN', false) })).toHaveLength(rows / 2)

  const names = (await objectsOfVault(store.read, 1, () => undefined)).map(({ name }) => name)
  const numbers = Array.from({ length: rows }, (_, at) => at + 1)
  expect(names).toEqual(numbers.filter((number) => number % 5 !== 0).map((number) => `object ${number}`))
}

describe('a list that is longer than a page is whole and in order', () => {
  it('on SQLite, where other calls have their turn meanwhile', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'strongroom-lists-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const store = await filled({ sqlite: join(directory, 'test.sqlite') })
    await areWhole(store)
    expect(await turnsWithin(() => objectsOfVault(store.read, 1, () => undefined))).toBeGreaterThanOrEqual(2)
    expect(await turnsWithin(() => selectUsers(store.read, { pattern: '%' }))).toBeGreaterThanOrEqual(2)
  })

  it('on SQLite, of which most is not read where a list so long is not granted', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'strongroom-lists-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const store = await filled({ sqlite: join(directory, 'test.sqlite') })
    await store.transaction(async (tx) => {
      await tx.query(
        `INSERT INTO vaults (id, name, policy_id, description, key_id, created_at) VALUES (2, 'w', 16, '', 'l', 0)`,
      )
      await tx.query(manyShort)
    })
    let statements = 0
    const reader = new Proxy(store.read, {
      get(target, name) {
        if (name === 'query') statements++
        const member: unknown = Reflect.get(target, name)
        return member
      },
    })
    const refuse = (): never => {
      throw new Error('no long list')
    }
    await expect(objectsOfVault(reader, 2, refuse)).rejects.toThrow('no long list')
    // The first nine of thirteen pages contain 4 MiB.
    expect(statements).toBe(9)
    let admitted = 0
    expect(await objectsOfVault(reader, 2, () => void admitted++)).toHaveLength(5 * rows)
    expect(admitted).toBe(1)
  })

  it.runIf(hasPostgres)('on PostgreSQL', async () => {
    const server = startPostgres()
    onTestFinished(() => server.cleanup())
    await areWhole(await filled({ postgresUrl: server.url }))
  })
})
