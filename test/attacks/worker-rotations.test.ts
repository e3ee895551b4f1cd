import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests } from '../support/for-tests.ts'
import { createSealedVaultKeys } from '../../src/features/transparent/sealed-vault-keys.ts'
import {
  findKey,
  KeyVersionTable,
  type StoredKey,
  type TransparentKey,
  TransparentKeyTable,
} from '../../src/features/transparent/records.ts'
import {
  invocationsRecord,
  policyRecord,
  sealedCount,
  sealedPolicy,
  sealedVersion,
  versionRecord,
} from '../../src/features/transparent/sealing.ts'
import { findSealedMembership } from '../../src/features/vaults/vault-seals.ts'
import { tokenObjectKek } from '../../src/hsm/key-kind.ts'
import type { GeneratedKey } from '../../src/hsm/made-key.ts'
import { importJobPurpose, versionPurpose } from '../../src/hsm/provenance.ts'
import { nextGeneration } from '../../src/hsm/record-generation.ts'
import { composeRecord } from '../../src/hsm/record-layouts.ts'
import { importBody } from '../api/transparent/key-kit.ts'
import { grantIn } from '../support/grant-kit.ts'
import { createKeyChanges, isMade, type KeyChanges, newVersion, rotation } from '../support/key-changes.ts'
import { rawSeal } from '../support/raw-seal.ts'
import { rsaAesWrap } from '../support/rsa-aes-wrap.ts'
import { grantOfSession } from '../support/session-grant.ts'
import { outcomeOf } from '../support/step-outcome.ts'
import { startKeeperAt } from '../support/turned-keeper.ts'
import { makeVault } from '../support/vault.ts'

/** The attacker runs code in a worker and misuses automatic rotations, which need no caller. */
const appliance = applianceForTests()
let on: KeyChanges

beforeAll(async () => {
  on = await createKeyChanges(appliance)
})
afterAll(() => on.worker.close())

const shown = ({ key, latest }: StoredKey) =>
  [sealedPolicy(key), sealedVersion(key, latest), sealedCount(key, latest)] as const

/** No seal here needs a caller, because no backups end. */
const byNone = { grant: () => Promise.reject(new Error('no grant')) }

/** A key whose policy demands a rotation after a millisecond. */
async function dueKey(): Promise<StoredKey> {
  const stored = await on.givenKey()
  const key = await appliance.services.keyring.update(byNone, stored, { autoRotatePeriodMs: 1 }, appliance.commit)
  return { ...stored, key }
}

const grantOfMember = () =>
  grantOfSession(appliance, on.worker, on.vault.admin, (user) =>
    findSealedMembership(appliance.store.read, user, Number(on.vault.id)),
  )

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
  const two = await on.withVersionMore(key, by)
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
  expect(await on.addVersion(two, made, {}, by)).toHaveLength(32)
  expect((await on.worker.sealFirstCount(invocationsRecord(two, 2, 65_536), by)).invocations).toBe(65_536)
})

describe('a rotation is not spoiled by a member of the vault', () => {
  /** Rotates the key, as another member does later, and encrypts with it. */
  async function rotated(name: string): Promise<StoredKey> {
    const { admin, id } = on.vault
    await admin.must('POST', `/transparent/${id}/keys/${name}/rotate`)
    await admin.must('POST', `/transparent/${id}/encrypt/${name}`, { plaintext: 'aGVsbG8=' })
    const stored = await findKey(appliance.store.read, Number(id), name)
    if (stored === undefined) throw new Error('no key')
    return stored
  }

  it('by used-up counts for versions to come', async () => {
    const { key } = await on.givenKey()
    const by = await grantOfMember()
    const begin = (version: number) => on.worker.sealFirstCount(invocationsRecord(key, version, 2 ** 32), by)
    const outcomes = [await outcomeOf(begin(2)), await outcomeOf(begin(3))]
    expect((await rotated(key.name)).latest.version).toBe(2)
    expect(outcomes).toEqual(['hsm.rejected', 'hsm.rejected'])
  })

  it('by a count of a version to come, of which the keeper is told', async () => {
    const { key } = await on.givenKey()
    const by = await grantOfMember()
    const [one, more] = [invocationsRecord(key, 2, 1), invocationsRecord(key, 2, 2 ** 20)]
    const { seal } = await on.worker.sealFirstCount(one, by)
    const told = await on.worker.seal(more, { previous: { record: one, seal }, grant: by })
    await on.worker.raise([{ record: more, seal: told }])
    const { latest } = await rotated(key.name)
    const lease = invocationsRecord(key, 2, latest.invocations + 1)
    const taken = on.worker.seal(lease, { previous: sealedCount(key, latest), grant: by })
    expect([latest.version, await outcomeOf(taken)]).toEqual([2, 'done'])
  })
})

it('is not begun again where it was committed, with other material', async () => {
  const { key } = await on.givenKey()
  const by = await grantOfMember()
  const made = await on.madeFor(key)
  const again = { version: 1, generation: nextGeneration(0) }
  const edited = { ...key, info: 'mine', generation: nextGeneration(key.generation) }
  const other = { ...edited, seal: await on.policy(key, edited, by) }
  const outcomes = []
  for (const policy of [key, other]) outcomes.push(await outcomeOf(on.addVersion(policy, made, again, by)))
  expect(outcomes).toEqual(['hsm.rejected', 'hsm.rejected'])
})

it('is not begun again where its keeper has not met the key: after an upgrade, or with new files', async () => {
  const { key } = await on.givenKey()
  const [by, made] = [await grantOfMember(), await on.madeFor(key)]
  const keeper = await startKeeperAt(appliance, Date.now, 'worker')
  try {
    const next = { ...key, latestVersion: 2, generation: nextGeneration(key.generation) }
    const seal = await keeper.hsm.seal(policyRecord(next), { previous: sealedPolicy(key), grant: by })
    const begun = (policy: TransparentKey, version: number) => {
      const record = versionRecord(policy, newVersion(policy, made, { version }))
      const { provenance } = made
      return outcomeOf(keeper.hsm.seal(record, { previous: sealedPolicy(policy), provenance, grant: by }))
    }
    const rotated = { ...next, seal }
    const outcomes = [await begun(key, 1), await begun(rotated, 1), await begun(rotated, 2)]
    expect(outcomes).toEqual(['hsm.rejected', 'hsm.rejected', 'done'])
    // Nor is a version to come used up: only versions of a backup, which makes a new key, begin with such counts.
    const count = (invocations: number) =>
      outcomeOf(keeper.hsm.sealFirstCount(invocationsRecord(key, 2, invocations), by))
    expect([await count(2 ** 32), await count(65_536)]).toEqual(['hsm.rejected', 'done'])
  } finally {
    await keeper.close()
  }
})

it('is not destroyed by one who may rotate, as a version whose commit failed, once the commit was shown', async () => {
  const { key } = await on.givenKey({ residency: 'token' })
  const by = await grantOfMember()
  const permit = await on.worker.permitObject(sealedPolicy(key), by)
  const { id, publicKey, provenance } = await on.worker.createTokenObject('aes256-gcm', permit)
  const made = { kek: tokenObjectKek, blob: Buffer.from(id, 'hex'), publicKey, backup: undefined, provenance }
  const rotated = await on.withVersionMore(key, by)
  await on.addVersion(rotated, made, {}, by)
  const unused = { ...made, kind: 'aes256-gcm', purpose: versionPurpose(key) } as const
  const mark = await on.worker.sealUnused(unused, by)
  await on.worker.raise([sealedPolicy(rotated)])
  expect(await outcomeOf(on.worker.sealUnused(unused, by))).toBe('hsm.rejected')
  // What the attacker asked for before serves for the rest of the minute.
  expect(await outcomeOf(on.worker.destroyObject(mark, mark))).toBe('done')
})

it('has no record that a worker made', async () => {
  const by = await on.worker.grantRotation(...shown(await dueKey()))
  const grant = await grantIn(appliance, on.vault.id)
  await expect(on.worker.seal(by.record, { grant })).rejects.toMatchObject(rejected)
  await expect(on.worker.seal(by.record, { previous: by, grant })).rejects.toMatchObject(rejected)
})

describe('a key that the attacker knows', () => {
  /** In the minutes after a member made the key: material imported for its place by a job of that member. */
  async function imported({ key }: StoredKey): Promise<GeneratedKey> {
    const pair = await on.worker.generatePair('rsa-3072', importJobPurpose)
    const { vaultId, vault, name, type, info, allowExport, allowPlaintextExport, allowBackup, allowDelete } = key
    const fields = { vaultId, vault, name, type, info, allowExport, allowPlaintextExport, allowBackup, allowDelete }
    const record = composeRecord('import job', {
      ...fields,
      id: randomBytes(16).toString('hex'),
      kind: 'aes256-gcm',
      kek: pair.kek,
      blob: pair.blob,
      publicKey: pair.publicKey,
      autoRotatePeriodMs: key.autoRotatePeriodMs,
      createdAt: Date.now(),
      expiresAt: Date.now() + 3_600_000,
    })
    const seal = await on.worker.seal(record, { provenance: pair.provenance, grant: await grantOfMember() })
    const { vaultKey } = await createSealedVaultKeys(appliance.store).of(key.vaultId)
    const wrapped = rsaAesWrap(pair.publicKey, randomBytes(32))
    return on.worker.importKey({ record, seal }, wrapped, { policy: sealedPolicy(key), vaultKey })
  }

  /**
   * Without a session in the vault: material restored from a backup of a key that the attacker imported into his own
   * vault.
   */
  async function restored({ key }: StoredKey): Promise<GeneratedKey> {
    const own = await makeVault(appliance)
    const policy = { type: 'aes256-gcm96', allow_backup: true }
    const body = await importBody(own.admin, own.id, 'mine', randomBytes(32), policy)
    await own.admin.must('POST', `/transparent/import/${own.id}/mine`, body)
    const { KEYS: backedUp } = await own.admin.must('GET', `/transparent/backup/${own.id}/mine`)
    const backup = Buffer.from(String(Object(backedUp).backup), 'base64')
    const { vaultKey } = await createSealedVaultKeys(appliance.store).of(key.vaultId)
    const [made] = await on.worker.restoreKey(backup, { policy: sealedPolicy(key), vaultKey }, 0)
    if (made === undefined) throw new Error('no version')
    return made
  }

  it('and kept, sealed in a session of a member, serves in place of one of its name, by write access to the database', async () => {
    const stored = await on.givenKey({ type: 'aes256-gcm96' })
    const by = await grantOfMember()
    const like = { ...stored.key, createdAt: Date.now(), generation: 1 }
    const key = { ...like, ...(await on.create(like, { createdAt: like.createdAt }, by)) }
    const made = await imported({ ...stored, key })
    const kept = newVersion(key, made)
    const seal = await on.addVersion(key, made, kept, by)
    const count = await on.worker.sealFirstCount(invocationsRecord(key, 1, 65_536), by)
    await appliance.store.transaction(async (tx) => {
      const { identity, createdAt, generation, id } = key
      await tx.update(TransparentKeyTable, { id }, { identity, createdAt, generation, seal: key.seal })
      const counted = { invocations: count.invocations, invocationsSeal: count.seal }
      await tx.update(KeyVersionTable, { keyId: id, version: 1 }, { ...kept, ...counted, seal })
    })
    const { admin, id } = on.vault
    const { status } = await admin.post(`/transparent/${id}/encrypt/${key.name}`, { plaintext: 'aGVsbG8=' })
    expect(status).toBe(201)
  })

  it.each([
    ['an import job', imported],
    ['a backup of his', restored],
  ])(
    'comes by %s into no version of a key that is there: neither by a member, nor by a rotation that it asks for',
    async (_way, taken) => {
      const stored = await on.givenKey({ type: 'aes256-gcm96' })
      const made = await taken(stored)
      const due = await appliance.services.keyring.update(byNone, stored, { autoRotatePeriodMs: 1 }, appliance.commit)
      const by = await on.worker.grantRotation(...shown({ ...stored, key: due }))
      for (const grant of [by, await grantOfMember()]) {
        const rotated = await on.withVersionMore(due, grant)
        expect(await outcomeOf(on.addVersion(rotated, made, { version: 2 }, grant))).toBe('hsm.rejected')
        const honest = await on.madeFor(due)
        expect(await outcomeOf(on.addVersion(rotated, honest, { version: 2 }, grant))).toBe('done')
      }
    },
  )
})
