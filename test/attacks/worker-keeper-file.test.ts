import Database from 'better-sqlite3'
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { permissionBits } from '../../src/access/permission.ts'
import { sessionTokenHash } from '../../src/access/session-token-form.ts'
import { findSealedSession, sealNextToken } from '../../src/features/auth/session-seals.ts'
import { policyRecord, sealedPolicy } from '../../src/features/transparent/sealing.ts'
import { findVault } from '../../src/features/vaults/records.ts'
import { findSealedMembership } from '../../src/features/vaults/vault-seals.ts'
import type { Hsm, SealedRecord } from '../../src/hsm/hsm.ts'
import { keyRecord } from '../../src/hsm/key-record.ts'
import { otpPurpose } from '../../src/hsm/provenance.ts'
import { nextGeneration } from '../../src/hsm/record-generation.ts'
import { composeRecord } from '../../src/hsm/record-layouts.ts'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { grantOfSession } from '../support/session-grant.ts'
import { outcomeOf } from '../support/step-outcome.ts'
import { storedKey } from '../support/stored-keys.ts'
import { startKeeperAt } from '../support/turned-keeper.ts'
import { accountRow } from '../support/user-row.ts'
import { makeVault } from '../support/vault.ts'

/** The attacker runs code in a worker, and wants the keeper's file to fill the disk. */
const appliance = applianceForTests(() => TestAppliance.own({ session: { rotation: 'strict' } }))
let keeper: Awaited<ReturnType<typeof startKeeperAt>>
beforeAll(async () => {
  keeper = await startKeeperAt(appliance, Date.now)
})
afterAll(() => keeper.close())

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

async function bytesOf({ copyState }: Hsm): Promise<number> {
  const path = join(appliance.directory, `copy-${++copies}`)
  await copyState(path)
  return statSync(path).size
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

it('keys that are changed and destroyed leave nothing there of what was sealed for them', async () => {
  const vault = await makeVault(appliance)
  await vault.admin.must('POST', `/transparent/${vault.id}/keys/ending`, {})
  const { key } = await storedKey(appliance, vault.id, 'ending')
  const grant = await grantOfSession(appliance, keeper.hsm, vault.admin, (user) =>
    findSealedMembership(appliance.store.read, user, Number(vault.id)),
  )
  const before = await rowsOf('sealed_records', keeper.hsm)
  const record = policyRecord(Object.assign({}, key, { info: 'changed', generation: nextGeneration(key.generation) }))
  const changed = { record, seal: await keeper.hsm.seal(record, { previous: sealedPolicy(key), grant }) }
  await keeper.hsm.raise([changed])
  expect(await rowsOf('sealed_records', keeper.hsm)).toBe(before + 1)
  await keeper.hsm.raise([await keeper.hsm.sealTombstone(changed, grant)])
  expect(await rowsOf('sealed_records', keeper.hsm)).toBe(before)
})

it('one-time links of one user are not made without end, and those of others go on', async () => {
  const startedAt = Date.now()
  const still = await startKeeperAt(appliance, () => startedAt)
  const made = (creator: Buffer, grant: SealedRecord) => {
    const times = { createdAt: startedAt, expiresAt: startedAt + 86_400_000, closedAt: null, generation: 1 } as const
    const random = { opener: randomBytes(32), digest: randomBytes(32), identity: Buffer.alloc(0) }
    const record = composeRecord('one-time link', { ...random, ...times, creator, state: 'waiting' })
    return still.hsm.sealNew(record, { grant })
  }
  try {
    const maker = async () => {
      const user = await appliance.addUser()
      const grant = await grantOfSession(appliance, still.hsm, await appliance.login(user))
      const { identity } = await accountRow(appliance, user)
      return () => made(identity, grant)
    }
    const [one, other] = [await maker(), await maker()]
    for (let links = 0; links < 1_000; links++) await one()
    // As the limit of a worker is answered, with 429.
    await expect(one()).rejects.toMatchObject({ code: 'request.quota', retryAfterMs: 200 })
    expect(await outcomeOf(other())).toBe('done')
  } finally {
    await still.close()
  }
})

it('the token of a session is replaced no more than once in a second, after the first hundred', async () => {
  const { token = '' } = await appliance.login()
  const session = await findSealedSession(appliance.store.read, sessionTokenHash(token))
  if (session === undefined) throw new Error('no session')
  const grant = await grantOfSession(appliance, keeper.hsm, appliance.client(token))
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, () =>
      outcomeOf(sealNextToken(keeper.hsm, session, randomBytes(32).toString('base64'), grant)),
    ),
  )
  expect(outcomes.filter((outcome) => outcome === 'done').length).toBeLessThan(150)
  expect(await rowsOf('replaced_tokens', keeper.hsm)).toBeLessThan(150)
})

it('the count with which a version begins is that of a key with an identity as the keeper draws them', async () => {
  const vault = await makeVault(appliance)
  const grant = await grantOfSession(appliance, keeper.hsm, vault.admin, (user) =>
    findSealedMembership(appliance.store.read, user, Number(vault.id)),
  )
  const row = await findVault(appliance.store.read, Number(vault.id))
  const identity = Buffer.from(row?.identity ?? '', 'hex')
  const count = (key: Buffer) =>
    outcomeOf(
      keeper.hsm.sealFirstCount(
        composeRecord('invocations 2', { identity: key, vault: identity, version: 1, invocations: 0 }),
        grant,
      ),
    )
  expect(await count(randomBytes(16))).toBe('done')
  expect(await count(randomBytes(1_000_000))).toBe('hsm.rejected')
  expect(await bytesOf(keeper.hsm)).toBeLessThan(900_000)
})

it('no record of a session or a member has more of its own in it than the keeper draws or hashes', async () => {
  const { token = '' } = await appliance.login()
  const session = await findSealedSession(appliance.store.read, sessionTokenHash(token))
  if (session === undefined) throw new Error('no session')
  const ofSession = await grantOfSession(appliance, keeper.hsm, appliance.client(token))
  expect(await outcomeOf(sealNextToken(keeper.hsm, session, 'A'.repeat(1_000_000), ofSession))).toBe('hsm.rejected')
  const vault = await makeVault(appliance)
  const grant = await grantOfSession(appliance, keeper.hsm, vault.admin, (user) =>
    findSealedMembership(appliance.store.read, user, Number(vault.id)),
  )
  const row = await findVault(appliance.store.read, Number(vault.id))
  const member = (user: Buffer) =>
    outcomeOf(
      keeper.hsm.seal(
        composeRecord('membership', {
          vault: Buffer.from(row?.identity ?? '', 'hex'),
          user,
          permission: permissionBits.Read,
          recoveries: -1,
          generation: 1,
        }),
        { grant },
      ),
    )
  expect(await member(randomBytes(16))).toBe('done')
  expect(await member(randomBytes(1_000_000))).toBe('hsm.rejected')
  expect(await bytesOf(keeper.hsm)).toBeLessThan(900_000)
})

it('the record of a key is no longer than any has, as those of used keys stay in memory', async () => {
  const { provenance, ...wrapped } = await keeper.hsm.importSecret('otp-hmac-sha1', randomBytes(20), otpPurpose)
  const device = keyRecord('otp-hmac-sha1', wrapped, ['otp', 'x'.repeat(1_000_000), null, 1, null, 6, 30])
  const sealed = { record: device, seal: await keeper.hsm.seal(device, { provenance }) }
  const shown = [{ device: sealed, counter: 0, driftSteps: 0 }]
  expect(await outcomeOf(keeper.hsm.checkOtp(shown, { code: '000000' }))).toBe('hsm.rejected')
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

it('no end of another machine is signed, whose chain could be rewritten from any of its seals on', async () => {
  const { config } = appliance
  const other = await startKeeperAt({ config: { ...config, audit: { ...config.audit, machine: 'other' } } }, Date.now)
  onTestFinished(() => other.close())
  const at = (seq: number) => ({ chain: 'worker-2', covers: { seq, hash: 'ab'.repeat(32) }, heads: {} })
  const previous = await keeper.hsm.signAuditEnd({ ...at(1), previous: undefined })
  expect(await outcomeOf(other.hsm.signAuditEnd({ ...at(2), previous }))).toBe('hsm.rejected')
  expect(await outcomeOf(keeper.hsm.signAuditEnd({ ...at(2), previous }))).toBe('done')
})
