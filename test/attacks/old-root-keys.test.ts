import { referenceFields } from '../../src/hsm/protocol/fields.ts'
import { hashRaw } from '@node-rs/argon2'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { permissionBits } from '../../src/access/permission.ts'
import { findKey } from '../../src/features/transparent/records.ts'
import { policyRecord, versionRecord } from '../../src/features/transparent/sealing.ts'
import { findVault } from '../../src/features/vaults/records.ts'
import { UserTable } from '../../src/features/users/records.ts'
import { membershipRecord } from '../../src/features/vaults/vault-seals.ts'
import { passphraseText } from '../../src/hsm/peppered-text.ts'
import { TestAppliance, type TestUser, twoWorkers } from '../support/appliance.ts'
import type { TestClient } from '../support/client.ts'
import { strongroom } from '../support/console-kit.ts'
import { latestReference } from '../support/key-references.ts'
import { createWorkerCalls, refusalOf, sealed } from '../support/recombination.ts'
import { steal, type StolenKey } from '../support/stolen-key.ts'
import { makeVault, type TestVault } from '../support/vault.ts'

/**
 * The attacker took over a host earlier and kept the value of the seal key. Now he writes to the database and has the
 * sockets of the token hosts. The operator has rotated the seal.
 */
let appliance: TestAppliance
let seal: StolenKey
let pepper: StolenKey
let vault: TestVault
let mallory: TestUser
let client: TestClient

beforeAll(async () => {
  const prepare = (token: TestAppliance['token']) => {
    seal = steal(token, 'seal')
    pepper = steal(token, 'pepper')
  }
  appliance = await TestAppliance.own({ ...twoWorkers, hsm: { deadlineMs: 2_000 } }, { prepare })
  vault = await makeVault(appliance)
  await vault.encrypt('payroll', 'AAAA')
  mallory = await appliance.addUser(['read', 'active'])
  client = await appliance.login(mallory)
})
afterAll(() => appliance.close())

async function storedVault() {
  const row = await findVault(appliance.store.read, Number(vault.id))
  if (row === null) throw new Error('the vault is not there')
  return row
}

/**
 * Makes himself an Admin of the vault, each time in a row of the next generation, so that he is refused for the seal
 * alone.
 */
async function forgedMembership(): Promise<{ away(): Promise<void> }> {
  const { store, services } = appliance
  const user = await services.users.find(mallory.username)
  generation += 1
  const state = { permission: permissionBits.Admin, grants: null, recoveries: user.recoveries, generation }
  const bytes = seal.hmac(membershipRecord({ vault: await storedVault(), user }, state)).toString('base64')
  const at = `vault_id = ${vault.id} AND user_id = ${mallory.id}`
  await store.transaction((tx) =>
    tx.query(
      `INSERT INTO vault_members (vault_id, user_id, permission, added_at, recoveries, generation, seal)
       VALUES (${vault.id}, ${mallory.id}, ${permissionBits.Admin}, ${Date.now()}, ${user.recoveries}, ${generation}, '${bytes}')`,
    ),
  )
  return { away: () => store.transaction(async (tx) => void (await tx.query(`DELETE FROM vault_members WHERE ${at}`))) }
}
let generation = 0

async function callsAsMember(): Promise<string> {
  const forgery = await forgedMembership()
  const body = { plaintext: 'AAAA' }
  const { status, json } = await client.call('POST', `/transparent/${vault.id}/encrypt/payroll`, { body })
  await forgery.away()
  return `${status} ${Object.keys(json.ERRORCODES ?? {}).join()}`
}

/** A policy of the key with the attacker's limits. */
async function forgedPolicy() {
  const stored = await findKey(appliance.store.read, Number(vault.id), 'payroll')
  if (stored === undefined) throw new Error('the key is not there')
  const record = policyRecord({ ...stored.key, info: 'of mine' })
  return { stored, policy: { record, seal: seal.hmac(record) } }
}

/** Asks at the socket of a host. */
async function asksHost(): Promise<string> {
  const { stored, policy } = await forgedPolicy()
  const fields = referenceFields({ ...(await latestReference(appliance, stored)), policy })
  const answer = await createWorkerCalls(appliance).host('encrypt', [...fields, Buffer.from('AAAA'), Buffer.alloc(0)])
  return refusalOf(answer) ?? 'done'
}

/** Asks at the socket of the keeper, which may know a policy that it has not sealed itself. */
async function asksKeeper(): Promise<string> {
  const { stored } = await forgedPolicy()
  const record = versionRecord(stored.key, { ...stored.latest, createdAt: stored.latest.createdAt + 1 })
  const version = { record, seal: seal.hmac(record) }
  return refusalOf(await createWorkerCalls(appliance).keeper('raise', [1, ...sealed(version)])) ?? 'done'
}

const rootKeys = (...args: string[]) => strongroom(appliance.configFile, ['--json', 'root-keys', ...args])

describe('an attacker with the earlier seal key', () => {
  it('can forge every seal until the key is rotated', async () => {
    expect(await callsAsMember()).toBe('201 ')
    expect(await asksHost()).toBe('done')
    expect(await asksKeeper()).toBe('done')
  })

  it('is detected by the trail, which names his forged row before anything is sealed again', async () => {
    const forgery = await forgedMembership()
    const { stdout, status } = await strongroom(appliance.configFile, ['audit', 'verify', '--database'])
    await forgery.away()
    expect({ status, stdout }).toMatchObject({
      status: 1,
      stdout: expect.stringContaining(`member ${vault.id}/${mallory.id}`),
    })
  })

  it('can forge no accepted seal once the seal is rotated and the old version destroyed', async () => {
    const calls = { done: 0, refused: [] as string[] }
    const end = new AbortController()
    const traffic = (async () => {
      while (!end.signal.aborted) {
        const body = { plaintext: 'AAAA' }
        const { status, json } = await vault.admin.call('POST', `/transparent/${vault.id}/encrypt/payroll`, { body })
        if (status === 201) calls.done += 1
        else calls.refused.push(JSON.stringify(json.ERRORCODES))
        await delay(20)
      }
    })()
    const made = await rootKeys('rotate', 'seal')
    expect(made).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(made.stdout)).toMatchObject({
      made: ['strongroom.seal.v2'],
      left: [],
      older: [{ label: 'strongroom.seal.v1', needed: false, usage: { rows: 0 } }],
    })
    // The keeper has believed the forged membership, and finds it in no row.
    const refused = await rootKeys('rotate', 'seal', '--destroy-unused', '--yes')
    expect(refused).toMatchObject({ status: 3, stderr: expect.stringMatching(/membership \(1\).* --missing 1\./) })
    const destroyed = await rootKeys('rotate', 'seal', '--destroy-unused', '--yes', '--missing', '1')
    expect(destroyed).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(destroyed.stdout)).toMatchObject({ destroyed: ['strongroom.seal.v1'] })
    await delay(500)
    end.abort()
    await traffic
    expect(calls.refused).toEqual([])
    expect(calls.done).toBeGreaterThan(100)

    expect(await callsAsMember()).toBe('503 1903,2000')
    // Also where host and keeper had accepted it before.
    expect(await asksHost()).toBe('hsm.seal_broken')
    expect(await asksKeeper()).toBe('hsm.seal_broken')
  }, 180_000)
})

describe('an attacker with the earlier pepper', () => {
  /** The pass phrase of the user among these words, found with a copy of the row. */
  async function guessed({ id }: TestUser, words: readonly string[]): Promise<string | undefined> {
    const { passphraseSalt: salt, passphraseCheck: check, passphraseCost: cost } = await rowOf(id)
    const [memoryCost = 0, timeCost = 0] = cost.match(/\d+/g)?.map(Number) ?? []
    const nonce = check.subarray(-48, -32)
    for (const word of words) {
      const hash = await hashRaw(word, { salt, memoryCost, timeCost, parallelism: 1, outputLen: 32 })
      if (pepper.hmac(passphraseText(nonce, hash)).equals(check.subarray(-32))) return word
    }
    return undefined
  }

  const rowOf = (id: number) => appliance.store.read.findOneByOrFail(UserTable, { id })

  it('finds pass phrases in the database, until it is rotated and the user has logged in', async () => {
    const victim = await appliance.addUser()
    const words = ['of somebody else', victim.passphrase]
    expect(await guessed(victim, words)).toBe(victim.passphrase)
    expect(await rootKeys('rotate', 'pepper')).toMatchObject({ status: 0, stderr: '' })
    await appliance.login(victim)
    expect(await guessed(victim, words)).toBe(undefined)
    await appliance.login(victim)
  })
})
