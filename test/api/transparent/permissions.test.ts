import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { contracts } from '../../support/contracts.ts'
import { expectUnharmed } from '../../support/health.ts'
import { importBody } from './key-kit.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)
let clients: Readonly<Record<'stranger' | 'Read' | 'Write' | 'Admin', TestClient>>
let former: TestClient
let formerId: string
let given: Readonly<Record<string, string | object>>

/** Expected status for each permission; 404 also for a vault that the user does not see. */
type Row = readonly [method: string, path: string, read: number, write: number, admin: number, body?: () => object]

beforeAll(async () => {
  const user = await appliance.addUser()
  formerId = String(user.id)
  former = await appliance.login(user)
  clients = {
    stranger: await appliance.login(),
    Read: await vault.member('Read'),
    Write: await vault.member('Write'),
    Admin: vault.admin,
  }
  const key = (name: string) => `/transparent/${vault.id}/keys/${name}`
  await vault.admin.must('POST', key('k'), { allow_export: true, allow_plaintext_export: true })
  await vault.admin.must('POST', key('pair'), { type: 'ecdsa-p256' })
  await vault.admin.must('POST', key('mac'), { type: 'hmac-sha256' })
  const { CALLINFO: signed } = await vault.admin.must('POST', `/transparent/${vault.id}/sign/pair`, { input: 'AAAA' })
  const { KEYS } = await vault.admin.must('GET', `/transparent/backup/${vault.id}/k`)
  given = {
    ciphertext: await vault.encrypt('k', 'AAAA'),
    signature: String(signed['signature']),
    backup: (KEYS as { backup: string }).backup,
    // The bodies of the two allowed calls.
    'job-0': await importBody(vault.admin, vault.id, 'job-0', randomBytes(16), {}),
    'job-1': await importBody(vault.admin, vault.id, 'job-1', randomBytes(16), {}),
  }
})
afterAll(() => expectUnharmed(appliance))

let fresh = 0
let imports = 0
/**
 * Replaces `:v` by the vault, `:new` by an unused name, `:job` by one with an import job. All users may make a call
 * that changes nothing lasting, one after another.
 */
const pathOf = (path: string) =>
  path
    .replace(':v', vault.id)
    .replace(':new', () => `new-${++fresh}`)
    .replace(':job', () => `job-${++imports % 2}`)

const rows: readonly Row[] = [
  ['GET', '/transparent/:v/keys', 200, 200, 200],
  ['POST', '/transparent/:v/keys/:new', 403, 201, 201],
  ['GET', '/transparent/:v/keys/k', 200, 200, 200],
  ['PUT', '/transparent/:v/keys/k', 403, 200, 200, () => ({ info: 'x' })],
  ['POST', '/transparent/:v/keys/k/rotate', 403, 201, 201],
  ['PUT', '/transparent/:v/keys/k/versions/1', 403, 200, 200, () => ({ enabled: true })],
  ['POST', '/transparent/:v/keys/k/trim', 403, 403, 200, () => ({ min_available_version: 1 })],
  ['PUT', '/transparent/:v/settings', 403, 403, 200, () => ({})],
  ['POST', '/transparent/:v/encrypt/k', 201, 201, 201, () => ({ plaintext: 'AAAA' })],
  ['POST', '/transparent/:v/encrypt/k', 201, 201, 201, () => ({ batch_input: [{ plaintext: 'AAAA' }] })],
  ['POST', '/transparent/:v/encrypt/:new', 403, 201, 201, () => ({ plaintext: 'AAAA' })],
  ['POST', '/transparent/:v/decrypt/k', 200, 200, 200, () => ({ ciphertext: given['ciphertext'] })],
  ['POST', '/transparent/rewrap/:v/k', 200, 200, 200, () => ({ ciphertext: given['ciphertext'] })],
  ['POST', '/transparent/:v/datakey/wrapped/k', 200, 200, 200, () => ({})],
  ['POST', '/transparent/:v/datakey/plaintext/k', 403, 200, 200, () => ({})],
  ['POST', '/transparent/:v/sign/pair', 403, 200, 200, () => ({ input: 'AAAA' })],
  ['POST', '/transparent/:v/verify/pair', 200, 200, 200, () => ({ input: 'AAAA', signature: given['signature'] })],
  ['POST', '/transparent/:v/hmac/mac', 200, 200, 200, () => ({ input: 'AAAA' })],
  ['GET', '/transparent/backup/:v/k', 403, 403, 200],
  ['POST', '/transparent/restore/:v/:new', 403, 200, 200, () => ({ backup: given['backup'] })],
  ['POST', '/transparent/restore/:v/k', 403, 403, 200, () => ({ backup: given['backup'], force: true })],
  ['GET', '/transparent/export/:v/k', 403, 403, 200],
  ['GET', '/transparent/export/:v/k/1', 403, 403, 200],
  ['POST', '/transparent/import_job/:v/:new', 403, 201, 201, () => ({})],
  ['POST', '/transparent/import/:v/:job', 403, 201, 201, () => Object(given[`job-${imports % 2}`]) as object],
  ['DELETE', '/transparent/:v/keys/k', 403, 403, 200],
  ['POST', '/transparent/:v/keys/k/undelete', 403, 403, 200],
]

/** Calls without a vault, for which any session suffices. */
const open: readonly Row[] = [
  ['GET', '/transparent/types', 200, 200, 200],
  ['POST', '/transparent/random', 200, 200, 200, () => ({})],
  ['POST', '/transparent/hash', 200, 200, 200, () => ({ input: 'AAAA' })],
]

const title = ([method, path]: Row, index: number) => [`${method} ${path} (${index + 1})`, index] as const

describe('every call of the encryption facility', () => {
  it('has a row here', () => {
    const served = contracts
      .filter(({ path, method }) => path.startsWith('/transparent') && method !== 'LIST')
      .map(({ method, path }) => `${method} ${path.replace(/:vaultid/, ':v').replace(/:(?!v\b)\w+/g, '*')}`)
    const tested = [...rows, ...open].map(([method, path]) => `${method} ${path}`)
    const patterns = served.map((one) => new RegExp(`^${one.replace(/\*/g, '[^/]+')}$`))
    expect(served.filter((_, index) => !tested.some((row) => patterns[index]?.test(row)))).toEqual([])
    expect(tested.filter((row) => !patterns.some((pattern) => pattern.test(row)))).toEqual([])
  })

  it.each(rows.map(title))('%s', async (_title, index) => {
    const [method, path, read, write, admin, body] = rows[index] ?? []
    if (method === undefined || path === undefined) throw new Error('no such row')
    const call = (client: TestClient) => client.call(method, pathOf(path), { body: body?.() })
    const expectRefused = async (client: TestClient) => expectFault(await call(client), 404, 1400)

    expectFault(await call(appliance.client()), 403, 1200)
    await expectRefused(clients.stranger)
    await vault.share(formerId, 'Admin')
    expect((await former.get(`/transparent/${vault.id}/keys/k`)).status).not.toBe(403)
    await vault.share(formerId, undefined)
    await expectRefused(former)
    for (const [permission, expected] of [
      ['Read', read],
      ['Write', write],
      ['Admin', admin],
    ] as const) {
      const answer = await call(clients[permission])
      if (expected === 403) expectFault(answer, 403, 1301)
      else expect([answer.status, answer.json.ERRORS ?? []], permission).toEqual([expected, []])
    }
  })

  it.each(open.map(title))('%s: any session', async (_title, index) => {
    const [method = '', path = '', , , , body] = open[index] ?? []
    expectFault(await appliance.client().call(method, path, { body: body?.() }), 403, 1200)
    for (const client of Object.values(clients))
      expect((await client.call(method, path, { body: body?.() })).status).toBe(200)
  })

  it('tells a stranger the same for a vault, a key and a name that are not there', async () => {
    const answers = await Promise.all([
      clients.stranger.get(`/transparent/${vault.id}/keys/k`),
      clients.stranger.get(`/transparent/${vault.id}/keys/missing`),
      clients.stranger.get('/transparent/424242/keys/k'),
      clients.stranger.get('/transparent/x/keys/k'),
    ])
    for (const { json, status } of answers) expect([status, json.ERRORS]).toEqual([404, answers[0]?.json.ERRORS])
  })
})
