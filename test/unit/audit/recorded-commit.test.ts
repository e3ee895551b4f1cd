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
  const commit = createRecordedCommit(store, async () => void seen.push(await committed()))
  expect(await commit(async (tx) => (await tx.query(insert), 'done'))).toBe('done')
  expect([seen, await committed()]).toEqual([[0], 1])
})

test('a change that cannot be recorded is not committed, and one that failed is not recorded', async () => {
  const { store, committed } = await givenStore()
  const commit = createRecordedCommit(store, () => Promise.reject(new Fault('audit.unavailable')))
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
