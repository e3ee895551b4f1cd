import Database from 'better-sqlite3'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { oncePerRow } from '../../../src/store/once-per-row.ts'
import { createRememberingQuery } from '../../../src/store/remembering-query.ts'

const byName = 'SELECT name, balance FROM accounts WHERE name = $1'

function givenDatabase() {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-store-'))
  const file = join(directory, 'test.sqlite')
  const [other, own] = [new Database(file), new Database(file)]
  onTestFinished(() => {
    other.close()
    own.close()
  })
  other.pragma('journal_mode = WAL')
  other.exec(
    `CREATE TABLE accounts (name TEXT, balance INTEGER) STRICT; INSERT INTO accounts VALUES ('alice', 1), ('bob', 2)`,
  )
  return { other, query: createRememberingQuery(own) }
}

test('the very same rows are given until something is committed', () => {
  const { other, query } = givenDatabase()
  const [alice] = query(byName, ['alice'])
  expect(alice).toEqual({ name: 'alice', balance: 1 })
  expect(query(byName, ['bob'])).toEqual([{ name: 'bob', balance: 2 }])
  expect(query(byName, ['alice'])[0]).toBe(alice)

  other.exec('BEGIN; UPDATE accounts SET balance = 7')
  expect(query(byName, ['alice'])[0]).toBe(alice)
  other.exec('ROLLBACK')
  expect(query(byName, ['alice'])[0]).toBe(alice)

  other.exec('UPDATE accounts SET balance = 7')
  expect(query(byName, ['alice'])).toEqual([{ name: 'alice', balance: 7 }])
  other.exec(`DELETE FROM accounts WHERE name = 'bob'`)
  expect(query(byName, ['bob'])).toEqual([])
})

test('what was not found is found once it is there', () => {
  const { other, query } = givenDatabase()
  expect(query(byName, ['carol'])).toEqual([])
  other.exec(`INSERT INTO accounts VALUES ('carol', 3)`)
  expect(query(byName, ['carol'])).toEqual([{ name: 'carol', balance: 3 }])
})

test('parameters of different kinds are different questions', () => {
  const { query } = givenDatabase()
  const typed = 'SELECT typeof($1) AS kind'
  expect(query(typed, ['1'])).toEqual([{ kind: 'text' }])
  expect(query(typed, [1])).toEqual([{ kind: 'real' }])
  expect(query(typed, [null])).toEqual([{ kind: 'null' }])
})

test('what the connection changes itself is seen by it', () => {
  const { query } = givenDatabase()
  expect(query(byName, ['alice'])).toEqual([{ name: 'alice', balance: 1 }])
  expect(query('UPDATE accounts SET balance = $1', [9])).toEqual([])
  expect(query(byName, ['alice'])).toEqual([{ name: 'alice', balance: 9 }])
})

test('what is made of a row is made once', () => {
  let made = 0
  const doubled = oncePerRow(({ balance }: { balance: number }) => {
    made += 1
    return balance === 0 ? undefined : balance * 2
  })
  const [full, empty] = [{ balance: 2 }, { balance: 0 }]
  expect([doubled(full), doubled(full), doubled(empty), doubled(empty)]).toEqual([4, 4, undefined, undefined])
  expect(made).toBe(2)
})

test('long rows are not kept, and of others no more than some megabytes', () => {
  const { other, query } = givenDatabase()
  const byNumber = 'SELECT name FROM accounts WHERE rowid = $1'
  const add = other.prepare('INSERT INTO accounts (rowid, name, balance) VALUES (?, ?, 0)')
  const others = Array.from({ length: 600 }, (_, at) => 1_000 + at)
  // A character beyond Latin-1 takes two bytes in memory.
  for (const number of others) add.run(number, '€'.repeat(8_000))
  add.run(999, '€'.repeat(9_000))
  const rowOf = (number: number | undefined) => query(byNumber, [number])[0]
  expect(rowOf(999)).not.toBe(rowOf(999))
  const rows = others.map(rowOf)
  expect(rowOf(others.at(-1))).toBe(rows.at(-1))
  expect(rowOf(others[0])).not.toBe(rows[0])
})
