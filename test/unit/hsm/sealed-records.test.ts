import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRecoverers, type Recoverers } from '../../../src/hsm/keeper/recoverers.ts'
import { encodeRecord } from '../../../src/hsm/key-record.ts'
import { createSealedRecords, type SealedRecords } from '../../../src/hsm/keeper/sealed-records.ts'
import { recordDigest } from '../../../src/hsm/sealed-record.ts'

const user = Buffer.from('a user')
const subject = encodeRecord(['user', user])
const at = (number: number) => ({ subject, number })
/** The record of each generation, unless a test names another. */
const recordOf = new Map<number, Buffer>()
const replaced = (number: number, record = recordOf.get(number) ?? Buffer.from(`not of this keeper, ${number}`)) => ({
  number,
  record,
})
const [one, other] = [Buffer.from('one record'), Buffer.from('another one')]

let file: Database.Database
let floor: number | undefined
let now: number
let elapsed: number
let records: SealedRecords
let recoverers: Recoverers
beforeEach(() => {
  recordOf.clear()
  file = new Database(':memory:')
  floor = 1
  now = elapsed = 1_000_000
  recoverers = createRecoverers(file)
  records = openRecords(file)
})
afterEach(() => void file.close())

const openRecords = (state: Database.Database): SealedRecords =>
  createSealedRecords(
    state,
    { of: () => floor, isTold: () => false, subjects: () => [] },
    { now: () => now, elapsed: () => elapsed },
    recoverers,
  )

function pass(ms: number): void {
  now += ms
  elapsed += ms
}

function seal(record: Buffer, number: number, previous: number): void {
  records.note(record, at(number), replaced(previous))
  recordOf.set(number, record)
}

function commit(record: Buffer, number: number): void {
  const before = floor
  floor = number
  records.settle(record, at(number), before)
}

const minuteMs = 60_000

it('a generation is free again some time after its change failed: a slow clock leaves few', () => {
  seal(one, 2, 1)
  seal(one, 2, 1)
  expect(() => seal(other, 2, 1)).toThrow(expect.objectContaining({ code: 'store.conflict' }))
  pass(11 * minuteMs)
  seal(other, 2, 1)
})

it('a number of a change that was committed serves no other', () => {
  seal(one, 2, 1)
  commit(one, 2)
  pass(11 * minuteMs)
  expect(() => seal(other, 2, 1)).toThrow(expect.objectContaining({ code: 'store.conflict' }))
  expect(() => records.check(other, at(2))).toThrow(expect.objectContaining({ code: 'hsm.outdated' }))
  records.check(one, at(2))
})

it('a record goes back to the floor, record by record', () => {
  seal(one, 2, 1)
  seal(one, 3, 2)
  seal(other, 5, 4)
  records.check(one, at(3))
  floor = 4
  records.check(other, at(5))
  floor = 3
  // Its beginning is not of this keeper.
  records.check(other, at(5))
  seal(one, 6, 2)
  seal(other, 7, 6)
  expect(() => records.check(other, at(7))).toThrow(expect.objectContaining({ code: 'hsm.outdated' }))
})

const [tried, made] = [7, 8]
const hasMade = (by: number) => recoverers.made(by, user, 0, 1)
const note = (by: number, generation: number, previous: number) => {
  seal(Buffer.from(`by ${by}, ${generation}`), generation, previous)
  recoverers.note(by, user, { number: 1, generation })
}

it('who tried a recovery has made none, once another change of the account was committed', () => {
  note(tried, 2, 1)
  note(made, 3, 1)
  expect([hasMade(tried), hasMade(made)]).toEqual([true, true])
  commit(Buffer.from('by 8, 3'), 3)
  expect([hasMade(tried), hasMade(made)]).toEqual([false, true])
})

it('who made a recovery has made it, whatever was sealed beside it and after it', () => {
  note(made, 2, 1)
  note(made, 3, 1)
  seal(one, 5, 2)
  commit(one, 5)
  expect(hasMade(made)).toBe(true)
})

it('of records that another keeper sealed one may have been committed: who tried is taken for who made it', () => {
  note(tried, 2, 1)
  // In place of the fourth, which is not of this keeper.
  seal(one, 5, 4)
  commit(one, 5)
  expect(hasMade(tried)).toBe(true)
})

it('what releases before have noted stays', () => {
  file.prepare('INSERT INTO recoverers (user, number, made_by) VALUES (?, 1, ?)').run(user, made)
  commit(one, 9)
  expect([hasMade(made), hasMade(tried)]).toEqual([true, false])
})

it('who made a recovery that a restored database does not have has made none that comes after it', () => {
  note(tried, 3, 1)
  commit(Buffer.from('by 7, 3'), 3)
  records.forget(now)
  floor = 0
  commit(one, 2)
  expect(hasMade(tried)).toBe(true)
  note(made, 5, 2)
  commit(Buffer.from('by 8, 5'), 5)
  expect([hasMade(tried), hasMade(made)]).toEqual([false, true])
})

it('a record in place of one of another keeper, which has the number of one of this keeper that came to nothing', () => {
  seal(other, 5, 1)
  // The other keeper tells of the third, and the fifth of it is the row.
  floor = 3
  records.note(one, at(9), replaced(5, Buffer.from('of the other keeper')))
  records.check(one, at(9))
  commit(one, 9)
  records.check(one, at(9))
})

const outdated = expect.objectContaining({ code: 'hsm.outdated' })

it('a record whose number serves again is dead', () => {
  seal(one, 3, 1)
  floor = 2
  expect(() => records.check(one, at(3))).toThrow(outdated)
  pass(11 * minuteMs)
  seal(other, 3, 2)
  expect(() => records.check(one, at(3))).toThrow(outdated)
  records.check(other, at(3))
  floor = 3
  records.settle(other, at(3), 2)
  expect(() => records.check(one, at(3))).toThrow(outdated)
})

it('a number serves no other while something was sealed in place of its record', () => {
  seal(one, 2, 1)
  seal(one, 3, 2)
  pass(11 * minuteMs)
  expect(() => seal(other, 2, 1)).toThrow(expect.objectContaining({ code: 'store.conflict' }))
  seal(other, 3, 1)
  seal(other, 2, 1)
})

it('a record whose number was committed by that of another machine is dead', () => {
  seal(one, 2, 1)
  records.check(other, at(2))
  floor = 2
  records.settle(other, at(2), 1)
  expect(() => records.check(one, at(2))).toThrow(outdated)
  records.check(other, at(2))
})

it('the first record of a thing is dead, and what was sealed in its place, where it is not shown within an hour', () => {
  floor = undefined
  records.noteFirst(one, at(1))
  recordOf.set(1, one)
  seal(other, 2, 1)
  pass(55 * minuteMs)
  for (const [record, number] of [
    [one, 1],
    [other, 2],
  ] as const)
    records.check(record, at(number))
  pass(10 * minuteMs)
  for (const [record, number] of [
    [one, 1],
    [other, 2],
  ] as const)
    expect(() => records.check(record, at(number))).toThrow(outdated)
  records.forget(now)
  records.check(one, at(1))
})

it('the first record of a thing that could not be noted as dead, as on a full disk, is dead a minute later', () => {
  floor = undefined
  records.noteFirst(one, at(1))
  file.exec(
    `CREATE TRIGGER full BEFORE INSERT ON dead_records BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END`,
  )
  pass(61 * minuteMs)
  expect(() => records.check(one, at(1))).toThrow('full')
  file.exec('DROP TRIGGER full')
  pass(2 * minuteMs)
  expect(() => records.check(one, at(1))).toThrow(outdated)
})

it('the first record of a thing is good for ever once it was shown, also to another keeper', () => {
  floor = undefined
  records.noteFirst(one, at(1))
  floor = 1
  pass(65 * minuteMs)
  records.check(one, at(1))
})

it('the first record of a thing outlasts a clock that is set ahead before it is shown', () => {
  floor = undefined
  records.noteFirst(one, at(1))
  now += 65 * minuteMs
  records.check(one, at(1))
})

it('the time in which the keeper is off does not count', () => {
  floor = undefined
  records.noteFirst(one, at(1))
  pass(24 * 60 * minuteMs)
  elapsed = 0
  records = openRecords(file)
  records.check(one, at(1))
  pass(2 * minuteMs)
  records.check(one, at(1))
})

describe('the versions of a key that begin with its policy', () => {
  const from = (record: Buffer, number: number) => records.newVersionsFrom(record, at(number))

  it('are those that it is the first to count, until its commit is shown', () => {
    records.note(one, at(2), replaced(1), 7)
    records.note(other, at(3), replaced(2, one))
    expect([from(one, 2), from(other, 2), from(other, 3), from(other, 4)]).toEqual([7, undefined, undefined, undefined])
    commit(one, 2)
    expect(from(one, 2)).toBeUndefined()
  })

  it('are none where its commit is not shown in time, however the clock was set', () => {
    for (const aheadMs of [11 * minuteMs, -11 * minuteMs]) {
      records.note(one, at(2), replaced(1), 7)
      now += aheadMs
      expect(from(one, 2)).toBeUndefined()
      now -= aheadMs
      expect(from(one, 2)).toBe(7)
    }
  })

  it('are none of a policy that an earlier release sealed, whose file has no column for them', () => {
    const earlier = new Database(':memory:')
    earlier.exec(
      `CREATE TABLE sealed_records (subject BLOB NOT NULL, number INTEGER NOT NULL, digest BLOB NOT NULL,
       previous INTEGER NOT NULL, sealed_at INTEGER NOT NULL, PRIMARY KEY (subject, number)) STRICT, WITHOUT ROWID`,
    )
    earlier.prepare('INSERT INTO sealed_records VALUES (?, 2, ?, 1, ?)').run(subject, recordDigest(one), now)
    for (let starts = 0; starts < 2; starts++) {
      records = openRecords(earlier)
      expect(from(one, 2)).toBeUndefined()
      expect(() => records.note(other, at(2), replaced(1))).toThrow(expect.objectContaining({ code: 'store.conflict' }))
    }
    records.note(other, at(3), replaced(2, one), 2)
    expect(from(other, 3)).toBe(2)
    earlier.close()
  })
})

it('a record in place of one that another machine committed under its number is good, and one in place of the dead one is not', () => {
  seal(one, 2, 1)
  seal(other, 3, 2)
  records.check(other, at(3))
  commit(Buffer.from('of another machine'), 2)
  expect(() => records.check(other, at(3))).toThrow(outdated)
  records.note(one, at(4), replaced(2, Buffer.from('of another machine')))
  records.check(one, at(4))
})
