import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cefOf } from '../../../src/audit/reading/cef.ts'
import { readMerged } from '../../../src/audit/reading/merged-trail.ts'
import { createRecordFilter, type RecordCriteria } from '../../../src/audit/reading/record-filter.ts'
import type { TrailRecord } from '../../../src/audit/reading/trail-record.ts'
import { readOn } from '../../../src/audit/reading/trail-tail.ts'
import { readHeads } from '../../../src/audit/witness/head-reader.ts'
import { momentOf } from '../../../src/console/audit/record-options.ts'
import type { AuditEvent } from '../../../src/audit/event.ts'
import { eventBody } from '../../../src/audit/line.ts'
import { eventOf } from '../../support/event-kit.ts'
import { createChainWriter } from '../../support/chain-writer.ts'
import { appendAll, givenBench, givenDirectory, manyEvents } from '../../support/trail-kit.ts'

/** Files of one chain, each with events of these times. */
function givenChain(directory: string, chain: string, ...files: readonly (readonly Partial<AuditEvent>[])[]): void {
  const { add, text } = createChainWriter(chain)
  let written = 0
  files.forEach((events, index) => {
    for (const event of events) add('event', eventBody(eventOf(event)))
    writeFileSync(
      join(directory, `${chain}.${String(index + 1).padStart(6, '0')}.jsonl`),
      text().slice(written),
      'latin1',
    )
    written = text().length
  })
}

const unexpected = ({ chain }: { readonly chain: string }) => expect.unreachable(`a bundle of ${chain} is not there`)

async function read(directory: string, criteria: RecordCriteria = {}): Promise<[string, number][]> {
  const found: [string, number][] = []
  for await (const { record } of readMerged([{ directory, archives: [] }], criteria, unexpected))
    found.push([record.chain, record.at])
  return found
}

describe('the records of all chains', () => {
  test('come in the order of time, through all files, also where calls ended in another order', async () => {
    const directory = givenDirectory()
    givenChain(directory, 'worker-1', [{ at: 10 }, { at: 40 }], [{ at: 30 }, { at: 70 }])
    givenChain(directory, 'worker-2', [{ at: 20 }, { at: 60 }, { at: 50 }])
    expect((await read(directory)).map(([, at]) => at)).toEqual([10, 20, 30, 40, 50, 60, 70])
  })

  test('are found by time in large files without reading what is older', async () => {
    const directory = givenDirectory()
    const hourMs = 3_600_000
    const events = Array.from({ length: 12_000 }, (_, hour) => ({ at: hour * hourMs }))
    givenChain(directory, 'worker-1', events.slice(0, 2_000), events.slice(2_000))
    const since = 11_990 * hourMs
    expect(await read(directory, { since })).toHaveLength(10)
    expect(await read(directory, { since: 1_000 * hourMs, until: 1_003 * hourMs })).toHaveLength(3)
    expect(await read(directory, { since: 13_000 * hourMs })).toEqual([])
  })

  test('are read on from where they were read, a part of each chain at a time', async () => {
    const directory = givenDirectory()
    const many = Array.from({ length: 400 }, (_, at) => ({ at }))
    givenChain(directory, 'worker-1', many.slice(0, 200), many.slice(200))
    givenChain(directory, 'worker-2', many.slice(0, 10))
    let points = {}
    const seen: string[] = []
    for (let rounds = 0; rounds < 20; rounds += 1) {
      const news = await readOn(directory, points, 40_000)
      seen.push(...news.records.map(({ record }) => `${record.chain} ${record.seq}`))
      if (rounds === 0) expect(seen).toContain('worker-2 10')
      points = news.points
    }
    expect(seen).toHaveLength(410)
    expect(new Set(seen).size).toBe(410)
  })

  // The trail is of a backup, or code in a worker has written the state of delivery.
  test.each([
    ['a file that is not there yet', { segment: 999_999_999, bytes: 0 }],
    ['more bytes than there are', { segment: 1, bytes: Number.MAX_SAFE_INTEGER }],
  ])('a point beyond the end of its chain withholds nothing: %s', async (_what, point) => {
    const { directory, open } = givenBench()
    const trail = await open()
    await appendAll(trail, manyEvents(3))
    await trail.close()
    const points = { 'worker-1': point }
    expect((await readOn(directory, points, 40_000)).records).toHaveLength(3)
    expect((await readHeads(directory, points)).heads).toHaveLength(1)
  })
})

const record = (change: Partial<TrailRecord> = {}): TrailRecord => ({
  chain: 'worker-1',
  seq: 4,
  at: 1_700_000_000_123,
  operation: 'transparent.encrypt',
  requestId: 'r-1',
  outcome: 'allowed',
  userId: 7,
  username: 'alice',
  vault: '12',
  key: 'orders',
  ...change,
})

test.each<[RecordCriteria, boolean]>([
  [{}, true],
  [{ user: 'alice' }, true],
  [{ user: '7' }, true],
  [{ user: 'bob' }, false],
  [{ vault: '12', key: 'orders' }, true],
  [{ vault: '1' }, false],
  [{ operation: 'transparent.*' }, true],
  [{ operation: 'transparent.enc' }, false],
  [{ outcome: 'allowed' }, true],
  [{ outcome: 'refused' }, false],
  [{ since: 1_700_000_000_123, until: 1_700_000_000_124 }, true],
  [{ until: 1_700_000_000_123 }, false],
])('of a record, %j is %s', (criteria, isMet) => {
  expect(createRecordFilter(criteria)(record())).toBe(isMet)
  if (criteria.outcome === 'refused')
    expect(createRecordFilter(criteria)(record({ outcome: 'key.not_found' }))).toBe(true)
})

test('CEF has the members that SIEMs look for, and escapes what would end one', () => {
  const line = cefOf(
    record({ outcome: 'session.invalid', address: '192.0.2.1', subject: 'a=b \\ c', operation: 'x|y' }),
    '1.2.3',
  )
  expect(line).toBe(
    String.raw`CEF:0|Strongroom|strongroom|1.2.3|x\|y|x\|y|6|rt=1700000000123 outcome=session.invalid suser=alice suid=7 src=192.0.2.1 externalId=r-1 cs1Label=vault cs1=12 cs2Label=key cs2=orders cs3Label=chain cs3=worker-1 cn2Label=seq cn2=4 msg=a\=b \\ c`,
  )
  expect(cefOf(record({ address: '2001:db8::1' }), '1')).toContain('c6a2Label=Source IPv6 Address c6a2=2001:db8::1 ')
})

test.each([
  ['90s', 1_000_000_000 - 90_000],
  ['2w', 1_000_000_000 - 1_209_600_000],
  ['2026-10-01', Date.UTC(2026, 9, 1)],
  ['2026-10-01 14:30', Date.UTC(2026, 9, 1, 14, 30)],
  ['2026-10-01T14:30:05Z', Date.UTC(2026, 9, 1, 14, 30, 5)],
])('the time %s', (text, moment) => expect(momentOf(text, 1_000_000_000)).toBe(moment))

test.each(['yesterday', '2026-13-01', '1y', '2026', '2026-02-30', '2026-04-31 10:00', '2026-02-28 24:00'])(
  '%s is no time',
  (text) => expect(() => momentOf(text, 0)).toThrow(/is not a time/),
)
