import { afterAll, beforeAll, expect, it } from 'vitest'
import type { StoredKey } from '../../src/features/transparent/records.ts'
import { invocationsRecord, sealedCount, sealedPolicy, sealedVersion } from '../../src/features/transparent/sealing.ts'
import { TestAppliance } from '../support/appliance.ts'
import { grantIn } from '../support/grant-kit.ts'
import { createKeyChanges, isMade, type KeyChanges, rotation } from '../support/key-changes.ts'
import { rawSeal } from '../support/raw-seal.ts'

/**
 * Code in a worker that makes something of the rotations which keys ask for by themselves: no caller has to be there for
 * them.
 */
let appliance: TestAppliance
let on: KeyChanges

beforeAll(async () => {
  appliance = await TestAppliance.shared()
  on = await createKeyChanges(appliance)
})
afterAll(async () => {
  await on.worker.close()
  await appliance.close()
})

const shown = ({ key, latest }: StoredKey) =>
  [sealedPolicy(key), sealedVersion(key, latest), sealedCount(key, latest)] as const

/** Nothing is sealed for a caller where backups do not end. */
const byNone = { grant: () => Promise.reject(new Error('no grant')) }

/** A key that its policy lets grow no older than a millisecond. */
async function dueKey(): Promise<StoredKey> {
  const stored = await on.givenKey()
  const key = await appliance.services.keyring.update(byNone, stored, { autoRotatePeriodMs: 1 }, appliance.commit)
  return { ...stored, key }
}

const rejected = { code: 'hsm.rejected' }

it('is allowed where the policy of the key asks for it, or its count, and else not', async () => {
  const { worker, after, givenKey } = on
  await expect(worker.grantRotation(...shown(await givenKey()))).rejects.toMatchObject(rejected)
  const [one, other] = [await dueKey(), await dueKey()]
  const [policy, version, count] = shown(one)
  const [, foreignVersion, foreignCount] = shown(other)
  await expect(worker.grantRotation(policy, foreignVersion, count)).rejects.toMatchObject(rejected)
  await expect(worker.grantRotation(policy, version, foreignCount)).rejects.toMatchObject(rejected)
  const deleted = sealedPolicy(after(one.key, { deletedAt: Date.now() }))
  await expect(worker.grantRotation(deleted, version, count)).rejects.toMatchObject(rejected)
  const edited = { ...policy, seal: Buffer.alloc(32) }
  await expect(worker.grantRotation(edited, version, count)).rejects.toMatchObject({ code: 'hsm.seal_broken' })
  const { key, latest } = await givenKey()
  const worn = invocationsRecord(key, 1, Math.ceil(2 ** 32 * 0.9))
  const wornCount = { record: worn, seal: rawSeal(appliance.token, worn) }
  const allowed = await worker.grantRotation(sealedPolicy(key), sealedVersion(key, latest), wornCount)
  await worker.verify(allowed)
})

it('is not allowed by rows of before, which were due', async () => {
  const before = await dueKey()
  await on.vault.admin.must('PUT', `/transparent/${on.vault.id}/keys/${before.key.name}`, { auto_rotate_period: 0 })
  await expect(on.worker.grantRotation(...shown(before))).rejects.toMatchObject({ code: 'hsm.outdated' })
})

it('is one version more, and nothing else', async () => {
  const stored = await dueKey()
  const { key } = stored
  const by = await on.worker.grantRotation(...shown(stored))
  const made = await on.madeFor(key)
  const two = on.after(key, { latestVersion: 2 })
  const { key: another } = await dueKey()
  const count = (of: typeof key, version: number, invocations: number) => () =>
    on.worker.sealFirstCount(invocationsRecord(of, version, invocations), by)
  const parts: readonly string[] = rotation
  const others = Object.entries({ ...on.uses, ...on.writes, ...on.takings }).filter(([name]) => !parts.includes(name))
  const attempts: Readonly<Record<string, () => Promise<unknown>>> = {
    ...Object.fromEntries(others.map(([name, change]) => [name, () => change(stored, by)])),
    'two versions': () => on.policy(key, { latestVersion: 3 }, by),
    'a second rotation': () => on.policy(two, { latestVersion: 3 }, by),
    'a version and a limit': () => on.policy(key, { latestVersion: 2, minDecryptionVersion: 2 }, by),
    'a version and a name': () => on.policy(key, { latestVersion: 2, info: 'mine' }, by),
    'a version that is disabled': () => on.addVersion(two, made, { disabled: 1 }, by),
    'a version that is due at once': () => on.addVersion(two, made, { createdAt: 1 }, by),
    'a version that was there': () => on.addVersion(two, made, { version: 1 }, by),
    'a count that is used up': count(two, 2, 2 ** 32),
    'the count of another version': count(two, 3, 1),
    'the count of another key': count(another, 2, 1),
    'a rotation of another key': () => on.policy(another, { latestVersion: 2 }, by),
  }
  const done: string[] = []
  for (const [name, attempt] of Object.entries(attempts)) if (await isMade(attempt())) done.push(name)
  expect(done).toEqual([])
  expect(await on.policy(key, { latestVersion: 2 }, by)).toHaveLength(32)
  expect(await on.addVersion(two, made, {}, by)).toHaveLength(32)
  expect((await on.worker.sealFirstCount(invocationsRecord(two, 2, 65_536), by)).invocations).toBe(65_536)
})

it('has no record that a worker made', async () => {
  const by = await on.worker.grantRotation(...shown(await dueKey()))
  const grant = await grantIn(appliance, on.vault.id)
  await expect(on.worker.seal(by.record, undefined, undefined, grant)).rejects.toMatchObject(rejected)
  await expect(on.worker.seal(by.record, by, undefined, grant)).rejects.toMatchObject(rejected)
})
