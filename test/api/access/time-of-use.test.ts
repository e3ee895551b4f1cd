import { afterAll, describe, expect, it } from 'vitest'
import { capabilitiesOf, type Capability } from '../../../src/access/capabilities.ts'
import { countOf, eventually, processesOf, stateOf, verdict } from '../../support/fault-kit.ts'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import type { Answer, TestClient } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { hasPostgres, startPostgres, type TestPostgres } from '../../support/postgres.ts'
import { recover, setCapabilities } from '../../support/sealed-people.ts'
import { conversation, secureSocket } from '../../support/wire.ts'
import { createObject, formWith, upload } from '../../support/object-kit.ts'

const content = Buffer.alloc(2_000_000, 'held back')

/** Permissions are checked at the time of an action, however long after the call it happens. */
function areThoseOfTheMoment(start: () => Promise<TestAppliance>): void {
  const appliance = applianceForTests(start)
  const vault = vaultForTests(appliance)
  let user: TestUser
  let client: TestClient

  afterAll(() => expectUnharmed(appliance))

  /** Makes a user with all rights, in the vault and outside of it. */
  async function givenMember(): Promise<void> {
    user = await appliance.addUser(['read', 'createVault', 'admin', 'active'])
    await vault.share(String(user.id), 'Admin')
    client = await appliance.login(user)
  }
  const setTo = (...capabilities: Capability[]) => setCapabilities(appliance, user.id, capabilitiesOf(capabilities))

  const losses: readonly (readonly [string, () => Promise<unknown>, inVault: string, ofObject: string])[] = [
    ['is no member any more', () => vault.share(String(user.id), undefined), '404 1400', '404 1610'],
    ['has Read alone', () => vault.share(String(user.id), 'Read'), '403 1301', '403 1301'],
    ['is put on hold', () => recover(appliance, user.id), '403 1302', '403 1302'],
    ['is disabled', () => appliance.services.users.disable(user.username, appliance.commit), '403 1200', '403 1200'],
    ['has been logged out', () => client.must('GET', '/auth/logout'), '403 1200', '403 1200'],
  ]

  /** Sends a call without its end, runs `meanwhile`, and sends the end. */
  async function sendSlowly(method: string, path: string, fields: object, meanwhile: () => Promise<unknown>) {
    const { raw, headers } = formWith(fields, content)
    const uploads = await countOf(appliance, 'file_uploads')
    const socket = secureSocket(appliance)
    const answered = conversation(socket, 1)
    socket.write(
      `${method} /api/1.0${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${raw.length}\r\n` +
        `X-Http-Token: ${client.token}\r\nContent-Type: ${headers['Content-Type']}\r\n\r\n`,
    )
    socket.write(raw.subarray(0, -1))
    await eventually(async () => (await countOf(appliance, 'file_uploads')) > uploads)
    await meanwhile()
    socket.write(raw.subarray(-1))
    const [answer] = (await answered).answers
    if (answer === undefined) throw new Error('no answer')
    return `${answer.status} ${Object.keys(answer.json.ERRORCODES ?? {})[0]}`
  }

  const kept = async () => {
    const tables = ['vault_objects', 'object_secrets', 'file_uploads', 'file_chunks']
    return Promise.all(tables.map((table) => countOf(appliance, table)))
  }

  it.each(losses)('an upload of a user who %s when it ends is refused and let go', async (_what, lose, refusal) => {
    await givenMember()
    const before = await kept()
    expect(await sendSlowly('POST', '/object', { groupid: vault.id }, lose)).toBe(refusal)
    expect(await kept()).toEqual(before)
  })

  it.each(losses)('so is a new file of a user who %s', async (_what, lose, _inVault, refusal) => {
    await givenMember()
    const id = await upload(vault.admin, { groupid: vault.id }, Buffer.from('the first'))
    const before = await kept()
    expect(await sendSlowly('PUT', `/object/${id}`, {}, lose)).toBe(refusal)
    expect(await kept()).toEqual(before)
    const { FILEDATA } = await vault.admin.must('GET', `/object/${id}?filedata=true`)
    expect(FILEDATA).toBe(Buffer.from('the first').toString('base64'))
  })

  /** Runs `meanwhile` while a call waits for the token. */
  async function whileTheTokenWaits(call: () => Promise<Answer>, meanwhile: () => Promise<unknown>): Promise<Answer> {
    const { hosts } = processesOf(appliance)
    for (const pid of hosts) process.kill(pid, 'SIGSTOP')
    const answered = call()
    // No event shows that it waits. A slower machine only makes the test easier to pass.
    await new Promise((resolve) => setTimeout(resolve, 300))
    await meanwhile()
    for (const pid of hosts) process.kill(pid, 'SIGCONT')
    return answered
  }

  /**
   * Runs `meanwhile` while a call waits for the hashes of others: logins that fail and change nothing that is checked.
   */
  async function whileHashesWait(call: () => Promise<Answer>, meanwhile: () => Promise<unknown>): Promise<Answer> {
    const credentials = { username: 'nobody', passphrase: 'x', otp: '123456', apikey: appliance.applicationKey }
    const logins = [1, 2, 3].map(() => appliance.client().post('/auth', credentials))
    await new Promise((resolve) => setTimeout(resolve, 50))
    const answered = call()
    await new Promise((resolve) => setTimeout(resolve, 100))
    await meanwhile()
    await Promise.all(logins)
    return answered
  }

  it('a secret is not handed to a user who is no member any more when it has been decrypted', async () => {
    await givenMember()
    const id = await createObject(vault.admin, vault.id)
    const answer = await whileTheTokenWaits(
      () => client.get(`/object/${id}?decrypt=true`),
      () => appliance.sql(`DELETE FROM vault_members WHERE user_id = ${user.id}`),
    )
    expect(verdict(answer)).toBe('404 1610')
    expect(answer.json).not.toHaveProperty('OBJECT')
  })

  /** The caller's own row gets another seal with every change of his rights, and is left out. */
  async function stateBesideTheCaller() {
    const others = await appliance.store.query('SELECT * FROM users WHERE id <> $1 ORDER BY id', [user.id])
    return { ...(await stateOf(appliance)), users: others }
  }

  it('nothing is changed by an administrator who is none any more', async () => {
    await givenMember()
    const target = await appliance.addUser()
    const calls: readonly (readonly [typeof whileTheTokenWaits, string, string, object])[] = [
      [whileHashesWait, 'PUT', `/user/${target.id}/passphrase`, { newpassphrase: 'eleven grey lanterns over snow' }],
      [whileTheTokenWaits, 'POST', `/user/${target.id}/otp`, { kind: 'totp' }],
    ]
    for (const [whileItWaits, method, path, body] of calls) {
      const before = await stateBesideTheCaller()
      const answer = await whileItWaits(
        () => client.call(method, path, { body }),
        () => setTo('read', 'active'),
      )
      expect(verdict(answer)).toBe('403 1300')
      await setTo('read', 'createVault', 'admin', 'active')
      expect(await stateBesideTheCaller()).toEqual(before)
    }
  })

  it('a user who is disabled amid the login has no session, and gets none back with the account', async () => {
    await givenMember()
    const open = async () => (await appliance.services.sessions.list(user.id)).length
    const counter = async () =>
      Number(
        (
          await appliance.store.query<{ counter: number }>(
            "SELECT counter FROM otp_devices WHERE kind = 'hwkey_otp' AND user_id = $1",
            [user.id],
          )
        )[0]?.counter,
      )
    const [sessions, before] = [await open(), await counter()]
    expect(sessions).toBe(1)
    const login = appliance.client().post('/auth', appliance.credentials(user))
    // The OTP is used up, and the pass phrase is being hashed.
    await eventually(async () => (await counter()) > before)
    await appliance.services.users.disable(user.username, appliance.commit)
    expect(verdict(await login)).toBe('403 1201')
    await setTo('read', 'active')
    expect(await open()).toBe(0)
    expect(verdict(await client.post('/auth/check'))).toBe('403 1200')
  })
}

const slowHashes = {
  login: { freeAttempts: 50, argon2: { memoryKiB: 65_536, passes: 6, concurrency: 1 } },
  // With this deadline, suspended hosts are not replaced meanwhile.
  hsm: { deadlineMs: 60_000 },
}

describe('on SQLite, permissions', () => areThoseOfTheMoment(() => TestAppliance.own(slowHashes)))

describe.skipIf(!hasPostgres)('on PostgreSQL, permissions', () => {
  let database: TestPostgres
  afterAll(() => database.cleanup())
  areThoseOfTheMoment(() => {
    database = startPostgres()
    return TestAppliance.own({ ...slowHashes, store: { postgresUrlFile: database.urlFile } })
  })
})
