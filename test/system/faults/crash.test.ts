import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { twoWorkers, TestAppliance, type TestUser } from '../../support/appliance.ts'
import type { TestClient } from '../../support/client.ts'
import {
  attempt,
  doneOf,
  eventually,
  expectSoundTrail,
  outcomesIn,
  requestIdOf,
  said,
  under,
  vaultIdOf,
  verdict,
} from '../../support/fault-kit.ts'
import { repeats } from '../../support/release.ts'

const writers = 8
/** Number of answered calls in each storm before the crash. */
const storms = [20, 60, 100].slice(-repeats(1, 3))

/** Successful results, which the appliance must therefore keep. */
class Promises {
  readonly requestIds: string[] = []
  readonly vaults: string[] = []
  /** Map from `vault/keys/name` to the newest version. */
  readonly keys = new Map<string, number>()
  readonly ciphertexts: { readonly path: string; readonly ciphertext: string; readonly plaintext: string }[] = []
  /** Logins whose OTP was accepted. */
  readonly logins: Record<string, string>[] = []
}

/** One turn of a writer: a vault, keys, versions, ciphertexts, a login. Only the crash may make a call fail. */
async function write(client: TestClient, stranger: TestClient, login: Record<string, string>, kept: Promises) {
  const call = async (path: string, body?: unknown) => {
    const outcome = await attempt(path === '/auth' ? stranger : client, 'POST', path, body)
    const [done] = doneOf([outcome])
    if (done) kept.requestIds.push(requestIdOf(done))
    else expect(outcome, verdict(outcome)).toHaveProperty('lost')
    return done
  }
  const vault = await call('/vault', { vaultname: 'Storm' })
  if (!vault) return
  const id = vaultIdOf(vault)
  kept.vaults.push(id)
  if (await call('/auth', login)) kept.logins.push(login)
  for (const [name, residency] of Object.entries({ a: 'database', b: 'token' })) {
    const path = `${id}/keys/${name}`
    if (await call(`/transparent/${path}`, { residency })) kept.keys.set(path, 1)
    const rotated = await call(`/transparent/${path}/rotate`)
    if (rotated) kept.keys.set(path, Number(said(rotated, 'key_version')))
    const plaintext = Buffer.from(`${path} ${kept.requestIds.length}`).toString('base64')
    const sealed = await call(`/transparent/${id}/encrypt/${name}`, { plaintext })
    if (sealed)
      kept.ciphertexts.push({ path: `${id}/decrypt/${name}`, ciphertext: said(sealed, 'ciphertext'), plaintext })
  }
}

async function expectKept(appliance: TestAppliance, client: TestClient, kept: Promises): Promise<void> {
  const vaults = (await client.must('GET', '/vault'))['VAULTS'] as { id: string }[]
  expect(vaults.map(({ id }) => id)).toEqual(expect.arrayContaining(kept.vaults))
  for (const [path, version] of kept.keys) {
    const [key] = (await client.must('GET', `/transparent/${path}`))['KEYS'] as { key_version: string }[]
    expect(Number(key?.key_version), path).toBeGreaterThanOrEqual(version)
  }
  for (const { path, ciphertext, plaintext } of kept.ciphertexts) {
    const { CALLINFO } = await client.must('POST', `/transparent/${path}`, { ciphertext })
    expect(CALLINFO['plaintext']).toBe(plaintext)
  }
  const recorded = outcomesIn(appliance.config.audit.directory)
  expect(kept.requestIds.filter((id) => !recorded.get(id)?.includes('allowed'))).toEqual([])
  for (const login of kept.logins.slice(-writers))
    expect(verdict(await appliance.client().post('/auth', login))).toBe('403 1201')
}

/** Expects that every vault in the database has its key in the token, by `pkcs11-tool`. */
async function expectVaultKeys({ store, token }: TestAppliance): Promise<void> {
  const pin = readFileSync(token.pinFile, 'utf8')
  const args = ['--module', token.module, '--token-label', 'strongroom', '--login', '--pin', pin, '--list-objects']
  const env = { ...process.env, SOFTHSM2_CONF: token.softhsmConf }
  const listed = execFileSync('pkcs11-tool', args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] })
  const inToken = new Set([...listed.matchAll(/^ {2}ID: +([0-9a-f]+)$/gm)].map(([, id]) => id))
  const rows = await store.query<{ key_id: string }>('SELECT key_id FROM vaults', [])
  expect(rows.length).toBeGreaterThan(0)
  expect(rows.filter(({ key_id }) => !inToken.has(key_id))).toEqual([])
}

it('killed amid a storm of changes, all processes at once: what was answered is there, recorded and sealed', async () => {
  const appliance = await TestAppliance.own(twoWorkers, { onDisk: true })
  onTestFinished(() => appliance.close())
  const users: TestUser[] = []
  for (let writer = 0; writer < writers; writer++) users.push(await appliance.addUser())
  const client = await appliance.login(users[0])
  const kept = new Promises()

  for (const calls of storms) {
    const enough = kept.requestIds.length + calls
    const strangers = users.map(() => appliance.client())
    await under(
      writers,
      async (writer) => {
        const [user, stranger] = [users[writer], strangers[writer]]
        if (user && stranger) await write(client, stranger, appliance.credentials(user), kept)
      },
      async () => {
        await eventually(() => kept.requestIds.length >= enough)
        await appliance.stop('SIGKILL')
      },
    )
    await appliance.restart()
    await expectKept(appliance, client, kept)
    await expectVaultKeys(appliance)
    await expectSoundTrail(appliance)
  }
  expect(kept.ciphertexts.length).toBeGreaterThan(writers)
  expect(kept.logins.length).toBeGreaterThan(0)
  expect(appliance.journal).not.toMatch(/"code":"(internal|key\.tampered|hsm\.seal_broken)"/)
  for (const user of users) await appliance.login(user)
  await appliance.stop()
  for (const { chain, unsealed } of await expectSoundTrail(appliance))
    expect({ chain, unsealed }).toEqual({ chain, unsealed: 0 })
})
