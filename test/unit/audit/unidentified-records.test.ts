import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { AuditEvent } from '../../../src/audit/event.ts'
import { createUnidentifiedRecords } from '../../../src/audit/unidentified-records.ts'
import { Fault } from '../../../src/fault.ts'
import { eventOf } from '../../support/event-kit.ts'

const perInterval = 3
const intervalMs = 60_000

let written: AuditEvent[]
let isFull: boolean
let hasRoom: boolean
let reports: unknown[]

beforeEach(() => {
  vi.useFakeTimers()
  written = []
  reports = []
  isFull = false
  hasRoom = true
})
afterEach(() => void vi.useRealTimers())

const audit = {
  async append(event: AuditEvent) {
    if (isFull) throw new Fault('audit.unavailable')
    written.push(event)
  },
}
const given = () =>
  createUnidentifiedRecords({
    audit,
    clock: { now: () => 7 },
    perInterval,
    hasRoom: () => hasRoom,
    report: (error) => reports.push(error),
  })

const refused = (address: string) => eventOf({ address, outcome: 'session.invalid', requestId: 'r' })
const sums = () => written.filter(({ operation }) => operation === 'audit.unidentified')
const counted = () => sums().reduce((sum, { count = 0 }) => sum + count, 0)

async function append(records: ReturnType<typeof given>, calls: number, address = '192.0.2.1'): Promise<void> {
  for (let n = 0; n < calls; n++) await records.append(refused(address), true)
}

it('some calls of a network are recorded singly in each interval, the others in one record', async () => {
  const records = given()
  await append(records, 10)
  expect([written.length, counted()]).toEqual([perInterval, 0])
  await vi.advanceTimersByTimeAsync(intervalMs)
  expect(sums()).toMatchObject([{ address: '192.0.2.1', outcome: 'noted', target: 'session.invalid 7', count: 7 }])
  await append(records, 1)
  expect(written.at(-1)).toMatchObject({ operation: refused('').operation, requestId: 'r' })
})

it('what is counted is written when it ends', async () => {
  const records = given()
  await append(records, 10)
  await records.close()
  expect(counted()).toBe(7)
})

it('what cannot be written is kept, and written when there is room', async () => {
  const records = given()
  await append(records, 10)
  isFull = true
  await vi.advanceTimersByTimeAsync(intervalMs)
  expect([counted(), reports.length]).toEqual([0, 1])
  isFull = false
  await vi.advanceTimersByTimeAsync(intervalMs)
  expect(counted()).toBe(7)
})

it('on a disk that is nearly full, all are counted', async () => {
  hasRoom = false
  const records = given()
  await append(records, 10)
  await records.close()
  expect([written.length, counted()]).toEqual([1, 10])
})

it('thousands of networks together have few records', async () => {
  const records = given()
  for (let n = 0; n < 5_000; n++) await append(records, 1, `198.51.${n >> 8}.${n & 255}`)
  const singly = written.length
  await records.close()
  expect(singly).toBe(10 * perInterval)
  expect(sums().length).toBeLessThanOrEqual(1_001)
  expect(singly + counted()).toBe(5_000)
  expect(sums().at(-1)).toMatchObject({ address: 'other addresses' })
})
