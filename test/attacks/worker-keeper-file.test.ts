import Database from 'better-sqlite3'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import type { Hsm } from '../../src/hsm/hsm.ts'
import { otpPurpose } from '../../src/hsm/provenance.ts'
import { TestAppliance } from '../support/appliance.ts'
import { outcomeOf } from '../support/step-outcome.ts'
import { startKeeperAt } from '../support/turned-keeper.ts'

/** The attacker runs code in a worker, without any session, and wants the keeper's file to fill the disk. */
let appliance: TestAppliance
let keeper: Awaited<ReturnType<typeof startKeeperAt>>
beforeAll(async () => {
  appliance = await TestAppliance.own()
  keeper = await startKeeperAt(appliance, Date.now)
})
afterAll(async () => {
  await keeper.close()
  await appliance.close()
})

/** Has a host make a key, which the keeper then notes as one that is in no record. */
async function makeUnused({ generate, sealUnused }: Hsm): Promise<unknown> {
  const key = await generate('aes256-gcm', { exportable: false, backup: false, purpose: otpPurpose })
  return sealUnused({ ...key, kind: 'aes256-gcm', purpose: otpPurpose })
}

let copies = 0
async function rowsOf(table: string, { copyState }: Hsm): Promise<number> {
  const path = join(appliance.directory, `copy-${++copies}`)
  await copyState(path)
  const copy = new Database(path)
  try {
    return Number(copy.prepare(`SELECT count(*) FROM ${table}`).pluck().get())
  } finally {
    copy.close()
  }
}

it('keys that are made and thrown away leave nothing there for long', async () => {
  for (let made = 0; made < 20; made++) await makeUnused(keeper.hsm)
  expect(await rowsOf('made_keys', keeper.hsm)).toBe(20)
  // Host and keeper have one clock, so that the key which is made now comes too late for this one.
  const later = Date.now() + 3 * 3_600_000
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => later)
  onTestFinished(() => clock.mockRestore())
  const outcome = await outcomeOf(makeUnused(keeper.hsm))
  expect([outcome, await rowsOf('made_keys', keeper.hsm)]).toEqual(['hsm.rejected', 0])
})

it('ends of audit chains are signed for the processes of this machine alone', async () => {
  const sign = async (chain: string) =>
    outcomeOf(
      keeper.hsm.signAuditEnd({ chain, covers: { seq: 1, hash: 'ab'.repeat(32) }, heads: {}, previous: undefined }),
    )
  const madeUp = [
    'another',
    'another-worker-1',
    'worker',
    'worker-0',
    'worker-01',
    'worker-1025',
    'worker-1-1',
    'consoles',
  ]
  expect(await Promise.all(madeUp.map(sign))).toEqual(madeUp.map(() => 'hsm.rejected'))
  expect(await rowsOf('audit_ends', keeper.hsm)).toBe(0)
  expect(await Promise.all(['worker-1024', 'console'].map(sign))).toEqual(['done', 'done'])
})
