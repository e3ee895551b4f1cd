import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createSealedRecords, type SealedRecords } from '../../../src/hsm/keeper/sealed-records.ts'

const subject = Buffer.from('a thing')
const at = (number: number) => ({ subject, number })
const [one, other] = [Buffer.from('one record'), Buffer.from('another one')]

let file: Database.Database
let floor: number | undefined
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

const outdated = expect.objectContaining({ code: 'hsm.outdated' })

it('a record whose number serves again is dead', () => {
  records.note(one, at(3), 1)
  floor = 2
  expect(() => records.check(one, at(3))).toThrow(outdated)
  now += 11 * minuteMs
  records.note(other, at(3), 2)
  expect(() => records.check(one, at(3))).toThrow(outdated)
  records.check(other, at(3))
  floor = 3
  records.settle(other, at(3))
  expect(() => records.check(one, at(3))).toThrow(outdated)
})

it('a number serves no other while something was sealed in place of its record', () => {
  records.note(one, at(2), 1)
  records.note(one, at(3), 2)
  now += 11 * minuteMs
  expect(() => records.note(other, at(2), 1)).toThrow(expect.objectContaining({ code: 'store.conflict' }))
  records.note(other, at(3), 1)
  records.note(other, at(2), 1)
})

it('a record whose number was committed by that of another machine is dead', () => {
  records.note(one, at(2), 1)
  records.check(other, at(2))
  floor = 2
  records.settle(other, at(2))
  expect(() => records.check(one, at(2))).toThrow(outdated)
  records.check(other, at(2))
})

it('the first record of a thing is dead, and what was sealed in its place, where it is not shown within an hour', () => {
  floor = undefined
  records.noteFirst(one, at(1))
  records.note(other, at(2), 1)
  now += 55 * minuteMs
  for (const [record, number] of [
    [one, 1],
    [other, 2],
  ] as const)
    records.check(record, at(number))
  now += 10 * minuteMs
  for (const [record, number] of [
    [one, 1],
    [other, 2],
  ] as const)
    expect(() => records.check(record, at(number))).toThrow(outdated)
  records.forget()
  records.check(one, at(1))
})

it('the first record of a thing is good for ever once it was shown, also to another keeper', () => {
  floor = undefined
  records.noteFirst(one, at(1))
  floor = 1
  now += 65 * minuteMs
  records.check(one, at(1))
})

it('the time in which the keeper is off does not count', () => {
  floor = undefined
  records.noteFirst(one, at(1))
  now += 24 * 60 * minuteMs
  records = createSealedRecords(file, { of: () => floor, isTold: () => false }, () => now)
  records.check(one, at(1))
  now += 2 * minuteMs
  records.check(one, at(1))
})
