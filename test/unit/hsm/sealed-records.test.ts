import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createSealedRecords, type SealedRecords } from '../../../src/hsm/keeper/sealed-records.ts'

const subject = Buffer.from('a thing')
const at = (number: number) => ({ subject, number })
const [one, other] = [Buffer.from('one record'), Buffer.from('another one')]

let file: Database.Database
let floor: number
let now: number
let records: SealedRecords
beforeEach(() => {
  file = new Database(':memory:')
  floor = 1
  now = 1_000_000
  records = createSealedRecords(file, { of: () => floor, isTold: () => false }, () => now)
})
afterEach(() => void file.close())

const minuteMs = 60_000

it('a generation is free again some time after its change failed: a slow clock leaves few', () => {
  records.note(one, at(2), 1)
  records.note(one, at(2), 1)
  expect(() => records.note(other, at(2), 1)).toThrow(expect.objectContaining({ code: 'store.conflict' }))
  now += 11 * minuteMs
  records.note(other, at(2), 1)
})

it('a number of a change that was committed serves no other', () => {
  records.note(one, at(2), 1)
  floor = 2
  records.settle(one, at(2))
  now += 11 * minuteMs
  expect(() => records.note(other, at(2), 1)).toThrow(expect.objectContaining({ code: 'store.conflict' }))
  expect(() => records.check(other, at(2))).toThrow(expect.objectContaining({ code: 'hsm.outdated' }))
  records.check(one, at(2))
})

it('a record goes back to the floor, record by record', () => {
  records.note(one, at(2), 1)
  records.note(one, at(3), 2)
  records.note(other, at(5), 4)
  records.check(one, at(3))
  floor = 4
  records.check(other, at(5))
  floor = 3
  // Its beginning is not of this keeper.
  records.check(other, at(5))
  records.note(one, at(4), 2)
  expect(() => records.check(other, at(5))).toThrow(expect.objectContaining({ code: 'hsm.outdated' }))
})
