import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { AuditEvent } from '../../../src/audit/event.ts'
import { createApplianceCommit, createRecordedCommit } from '../../../src/audit/recorded-commit.ts'
import { AuditHeadTable } from '../../../src/audit/records.ts'
import { Fault } from '../../../src/fault.ts'
import { openStore } from '../../../src/store/open.ts'
import { givenDirectory } from '../../support/trail-kit.ts'

const insert = "INSERT INTO audit_heads (chain, seq, hash, line) VALUES ('one', 0, '', '')"

async function givenStore() {
  const store = await openStore({ sqlite: join(givenDirectory(), 'strongroom.db') }, [AuditHeadTable])
  onTestFinished(() => store.close())
  return { store, committed: () => store.read.countBy(AuditHeadTable, { chain: 'one' }) }
}

test('a change is committed after its record', async () => {
  const { store, committed } = await givenStore()
  const seen: number[] = []
  const commit = createRecordedCommit(store, () => Promise.resolve(async () => void seen.push(await committed())))
  expect(await commit(async (tx) => (await tx.query(insert), 'done'))).toBe('done')
  expect([seen, await committed()]).toEqual([[0], 1])
})

test('a change that cannot be recorded is not committed, and one that failed is not recorded', async () => {
  const { store, committed } = await givenStore()
  const commit = createRecordedCommit(store, () =>
    Promise.resolve(() => Promise.reject(new Fault('audit.unavailable'))),
  )
  await expect(commit((tx) => tx.query(insert))).rejects.toMatchObject({ code: 'audit.unavailable' })
  await expect(commit(() => Promise.reject(new Fault('key.exists')))).rejects.toMatchObject({ code: 'key.exists' })
  expect(await committed()).toBe(0)
})

test('the appliance records what it does by itself in its own name', async () => {
  const { store, committed } = await givenStore()
  const events: AuditEvent[] = []
  const audit = { append: async (event: AuditEvent) => void events.push(event) }
  const commit = createApplianceCommit({ store, audit, clock: { now: () => 7 }, readRows: () => Promise.resolve({}) })
  await commit('key.destroy', { vault: '12' }, (tx) => tx.query(insert))
  const requestId: unknown = expect.stringMatching(/^[\da-f-]{36}$/)
  expect(events).toEqual([
    { at: 7, operation: 'key.destroy', requestId, outcome: 'allowed', username: 'appliance', vault: '12' },
  ])
  expect(await committed()).toBe(1)
})

/** Changes that are asked for in one turn, each with a record that lies on a disk for which all of them wait. */
test('changes that come together are recorded together, and each is undone alone', async () => {
  const { store } = await givenStore()
  const waiting: (() => void)[] = []
  const commit = createRecordedCommit(store, () =>
    Promise.resolve(() => new Promise<void>((resolve) => void waiting.push(resolve))),
  )
  const chain = (name: string) => `INSERT INTO audit_heads (chain, seq, hash, line) VALUES ('${name}', 0, '', '')`
  const change = (name: string, fault?: Fault) =>
    commit(async (tx) => {
      await tx.query(chain(name))
      if (fault) throw fault
      return name
    })
  const changes = Promise.allSettled([change('a'), change('bad', new Fault('key.exists')), change('a'), change('b')])
  await expect.poll(() => waiting.length).toBe(2)
  const chains = async () => (await store.read.find(AuditHeadTable)).map((head) => head.chain).toSorted()
  expect(await chains()).toEqual([])
  for (const resolve of waiting) resolve()
  expect(await changes).toMatchObject([
    { value: 'a' },
    { reason: { code: 'key.exists' } },
    { reason: { code: 'store.conflict' } },
    { value: 'b' },
  ])
  expect(await chains()).toEqual(['a', 'b'])
})

test('where one of the records fails, no change that waits for its commit with it is made', async () => {
  const { store } = await givenStore()
  let records = 0
  const commit = createRecordedCommit(store, () =>
    Promise.resolve(() => (++records === 2 ? Promise.reject(new Fault('audit.unavailable')) : Promise.resolve())),
  )
  const change = (name: string) =>
    commit((tx) => tx.query(`INSERT INTO audit_heads (chain, seq, hash, line) VALUES ('${name}', 0, '', '')`))
  const failed = { reason: { code: 'audit.unavailable' } }
  expect(await Promise.allSettled(['a', 'b', 'c'].map(change))).toMatchObject([failed, failed, failed])
  expect(await store.read.countBy(AuditHeadTable, {})).toBe(0)
  await change('d')
  expect(await store.read.countBy(AuditHeadTable, {})).toBe(1)
})
