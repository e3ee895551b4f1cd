import { describe, expect, it } from 'vitest'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { permissionBits } from '../../src/access/permission.ts'
import { findKey } from '../../src/features/transparent/records.ts'
import { policyRecord, sealedPolicy } from '../../src/features/transparent/sealing.ts'
import type { User } from '../../src/features/users/records.ts'
import { sealedUser, userRecord } from '../../src/features/users/user-seals.ts'
import { findVault } from '../../src/features/vaults/records.ts'
import { findSealedMembership, membershipRecord } from '../../src/features/vaults/vault-seals.ts'
import type { SealedRecord } from '../../src/hsm/hsm.ts'
import { composeRecord, openRecord } from '../../src/hsm/record-layouts.ts'
import { nextGeneration } from '../../src/hsm/record-generation.ts'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests, workerForTests } from '../support/for-tests.ts'
import { strongroom } from '../support/console-kit.ts'
import { latestReference } from '../support/key-references.ts'
import type { TestClient } from '../support/client.ts'
import { createObject, readObject } from '../support/object-kit.ts'
import { makeVault } from '../support/vault.ts'
import { grantOfSession } from '../support/session-grant.ts'
import { accountRow } from '../support/user-row.ts'

/**
 * The attacker runs code in a worker through which a session passes once. He lets many changes be sealed and commits
 * none. Later, when worker and session are gone, he writes to the database and puts one of them into its row.
 */
const appliance = applianceForTests(() => TestAppliance.own())
const worker = workerForTests(appliance)

/** The greatest generation that the keeper seals, `inMs` milliseconds from now. */
const clockNumber = (inMs = 0): number => (Date.now() + inMs) * 1000

/** Generations of more changes than the row will have, and at last the greatest one. */
function* numbersAfter(present: number): Generator<number> {
  for (let at = 1; at <= 20; at++) yield present + at
  yield clockNumber()
}

const refused = { code: 'hsm.rejected' }

const userOf = (id: number) => accountRow(appliance, { id })

const grantOf = (client: TestClient, vaultId?: number) =>
  grantOfSession(appliance, worker, client, async (user) =>
    vaultId === undefined ? undefined : findSealedMembership(appliance.store.read, user, vaultId),
  )

/** Writes to the database directly. */
const write = async (sql: string, values: unknown[]): Promise<void> =>
  appliance.store.transaction(async (tx) => void (await tx.query(sql, values)))

describe('a membership that was sealed ahead', () => {
  /** Seals records that make the user an Admin of the vault, from this generation on. Resolves to the last one. */
  async function sealedAhead(vaultId: number, user: User, admin: TestClient, present?: SealedRecord) {
    const vault = await findVault(appliance.store.read, vaultId)
    if (vault === null) throw new Error('no vault')
    const grant = await grantOf(admin, vaultId)
    const state = { permission: permissionBits.Admin, grants: null, recoveries: user.recoveries }
    let last = present
    const ahead: { readonly seal: Buffer; readonly generation: number }[] = []
    const sealed = async (generation: number): Promise<SealedRecord> => {
      const record = membershipRecord({ vault, user }, { ...state, generation })
      return { record, seal: await worker.seal(record, { previous: last, grant, person: sealedUser(user) }) }
    }
    for (const generation of numbersAfter(present === undefined ? 0 : presentNumber(present))) {
      last = await sealed(generation)
      ahead.push({ seal: last.seal, generation })
    }
    await expect(sealed(clockNumber(60_000))).rejects.toMatchObject(refused)
    return ahead
  }

  const presentNumber = ({ record }: SealedRecord): number => {
    const { fields } = openRecord(record)
    return 'generation' in fields ? fields.generation : 0
  }

  it.each([
    ['before there was one', false],
    ['in place of the present one', true],
  ])('%s gives nothing to a member who was removed since', async (_when, isMember) => {
    const vault = await makeVault(appliance)
    const id = await createObject(vault.admin, vault.id, { cryptedinfo: 'hidden' })
    const { id: mallory, ...login } = await appliance.addUser()
    const client = await appliance.login({ id: mallory, ...login })
    const user = await userOf(mallory)
    if (isMember) await vault.share(String(mallory), 'Read')
    const present = isMember ? await findSealedMembership(appliance.store.read, user, Number(vault.id)) : undefined
    const ahead = await sealedAhead(Number(vault.id), user, vault.admin, present)
    if (!isMember) await vault.share(String(mallory), 'Read')
    await readObject(client, id)
    await vault.share(String(mallory), undefined)
    expect((await client.get(`/object/${id}`)).status).toBe(404)
    for (const { seal, generation } of ahead) {
      await write('DELETE FROM vault_members WHERE vault_id = ? AND user_id = ?', [Number(vault.id), mallory])
      await write(
        `INSERT INTO vault_members (vault_id, user_id, permission, granted_by, granted_at, added_at, recoveries, generation, seal)
         VALUES (?, ?, 4, 1, 1, 1, ?, ?, ?)`,
        [Number(vault.id), mallory, user.recoveries, generation, seal.toString('base64')],
      )
      const answer = await client.get(`/object/${id}?decrypt=true`)
      expect(answer.status).toBe(503)
      expect(JSON.stringify(answer.json)).not.toContain('hidden')
    }
  })
})

it('a user who is disabled does not come back by records of himself that were sealed ahead', async () => {
  const mallory = await appliance.addUser()
  const client = await appliance.login(mallory)
  const user = await userOf(mallory.id)
  const grant = await grantOf(client)
  let last = sealedUser(user)
  let ahead = user
  const sealed = async (): Promise<SealedRecord> => {
    const record = userRecord(ahead)
    return { record, seal: await worker.seal(record, { previous: last, grant }) }
  }
  for (const generation of numbersAfter(user.generation)) {
    ahead = { ...ahead, generation }
    last = await sealed()
  }
  const { generation } = ahead
  ahead = { ...ahead, generation: clockNumber(60_000) }
  await expect(sealed()).rejects.toMatchObject(refused)
  const administrator = await appliance.login(await appliance.addUser(['read', 'active', 'admin']))
  await administrator.must('DELETE', `/user/${mallory.id}`)
  await write('UPDATE users SET capabilities = ?, generation = ?, seal = ? WHERE id = ?', [
    capabilitiesOf(['read', 'createVault', 'active']),
    generation,
    last.seal.toString('base64'),
    mallory.id,
  ])
  await expect(appliance.login(mallory)).rejects.toThrow()
})

describe('a version of a key that was sealed ahead', () => {
  /**
   * A key, its present version, and records of the version that were sealed ahead. `put` puts the last one into its
   * row.
   */
  async function sealedAhead() {
    const vault = await makeVault(appliance)
    await vault.encrypt('k', 'c2VjcmV0')
    const grant = await grantOf(vault.admin, Number(vault.id))
    const find = async () => {
      const key = await findKey(appliance.store.read, Number(vault.id), 'k')
      if (key === undefined) throw new Error('no key')
      return key
    }
    const present = await latestReference(appliance, await find())
    const opened = openRecord(present.key.record)
    if (opened.type !== 'transparent key version 2') throw new Error(opened.type)
    let [last, greatest] = [present.key, opened.fields.generation]
    const sealed = async (generation: number): Promise<SealedRecord> => {
      const record = composeRecord('transparent key version 2', { ...opened.fields, generation }, opened.key)
      return { record, seal: await worker.seal(record, { previous: last, grant }) }
    }
    for (const generation of numbersAfter(greatest)) [last, greatest] = [await sealed(generation), generation]
    await expect(sealed(clockNumber(60_000))).rejects.toMatchObject(refused)
    const { key } = await find()
    const put = () =>
      write('UPDATE key_versions SET disabled = 0, generation = ?, seal = ? WHERE key_id = ?', [
        greatest,
        last.seal.toString('base64'),
        key.id,
      ])
    const use = async () =>
      worker.encrypt({ ...(await latestReference(appliance, await find())), grant }, Buffer.from('x'))
    return { vault, present, opened, put, use }
  }

  const outdated = { code: 'hsm.outdated' }

  it('is not used again after the version was disabled', async () => {
    const { vault, put, use } = await sealedAhead()
    await vault.admin.must('PUT', `/transparent/${vault.id}/keys/k/versions/1`, { enabled: false })
    await put()
    await expect(use()).rejects.toMatchObject(outdated)
  })

  it('is not used again after the version was wrapped anew', async () => {
    const { present, opened, put, use } = await sealedAhead()
    const { kek, blob, backup, seal, generation } = await appliance.hsm.rewrapVersion(present.key, present.vaultKey)
    const changes = { backupKek: backup?.kek ?? null, backupBlob: backup?.blob ?? null, generation }
    const next = { ...opened.fields, ...changes }
    const record = composeRecord('transparent key version 2', next, opened.key && { ...opened.key, kek, blob })
    await appliance.hsm.raise([{ record, seal }])
    await put()
    await expect(use()).rejects.toMatchObject(outdated)
  })
})

it('changes that the keeper is told of and that are never committed outdate the rows until the operator accepts the database', async () => {
  const admin = await appliance.addUser()
  const vault = await makeVault(appliance, 'Told', await appliance.login(admin))
  await vault.encrypt('k', 'c2VjcmV0')
  const guest = await appliance.addUser()
  const [user, stored] = [await userOf(guest.id), await findKey(appliance.store.read, Number(vault.id), 'k')]
  const row = await findVault(appliance.store.read, Number(vault.id))
  if (row === null || stored === undefined) throw new Error('no vault or no key')
  const grant = await grantOf(vault.admin, Number(vault.id))
  const policy = policyRecord({ ...stored.key, info: 'lost', generation: nextGeneration(stored.key.generation) })
  const state = { permission: permissionBits.Read, grants: null, recoveries: user.recoveries, generation: 1 }
  const member = membershipRecord({ vault: row, user }, state)
  await worker.raise([
    { record: policy, seal: await worker.seal(policy, { previous: sealedPolicy(stored.key), grant }) },
    { record: member, seal: await worker.seal(member, { grant, person: sealedUser(user) }) },
  ])
  const calls = async (by: TestClient) => [
    (await by.post(`/transparent/${vault.id}/encrypt/k`, { plaintext: 'c2VjcmV0' })).status,
    (await by.post(`/vault/${vault.id}/member/${guest.id}`, { status: 1 })).status,
  ]
  expect(await calls(vault.admin)).toEqual([503, 400])
  expect((await strongroom(appliance.configFile, ['database', 'accept-restored'])).status).toBe(0)
  expect(await calls(await appliance.login(admin))).toEqual([201, 200])
})
