import { randomBytes } from 'node:crypto'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startHousekeeping } from '../../../src/daemon/housekeeping.ts'
import { createLog } from '../../../src/log.ts'
import { formWith, readObject, server } from '../../support/object-kit.ts'
import { strongroom } from '../../support/console-kit.ts'
import { twoWorkers, TestAppliance, type TestUser } from '../../support/appliance.ts'
import type { Answer, TestClient } from '../../support/client.ts'
import { hotpCodes, totpCode } from '../../support/hardware-token.ts'
import {
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
import { isRelease } from '../../support/release.ts'

const writers = 6
/** Number of answered calls in each storm before the crash. */
const storms = isRelease ? [20, 40, 60] : [100]

interface Kept {
  readonly fields: Readonly<Record<string, string>>
  readonly file?: Buffer
}

/** Successful results, which the appliance must therefore keep. */
class Promises {
  readonly requestIds: string[] = []
  /** The last answer by object id; undefined for a deleted object. */
  readonly objects = new Map<string, Kept | undefined>()
  /** Other possible values by object id, of changes whose answer was lost. */
  readonly maybe = new Map<string, (Kept | undefined)[]>()
  readonly users: { readonly id: string; readonly username: string; readonly totp: string }[] = []
  readonly members = new Map<string, string | undefined>()
  readonly hotp: { readonly userId: string; readonly secret: string }[] = []
  readonly deletedVaults: string[] = []
  readonly disabled: string[] = []
}

type Form = ReturnType<typeof formWith>
type Call = (method: string, path: string, body?: object | Form) => Promise<Answer | undefined>

/**
 * Lengths of uploads: more than the appliance keeps in memory before it identifies the caller, and more than one chunk.
 */
const sizes = [500_000, 1_700_000]
const passphrase = 'seven wooden lanterns on water'

/** One turn of a writer: makes, changes and deletes objects with secrets and files, people, factors and memberships. */
async function write(vaultId: string, round: number, call: Call, kept: Promises): Promise<void> {
  const token = () => randomBytes(9).toString('hex')
  const first = { host: `host-${token()}`, password: token() }
  const made = await call('POST', '/object', { ...server, ...first, groupid: vaultId })
  if (!made) return
  const id = said(made, 'objectid')
  kept.objects.set(id, { fields: first })

  const change = async (path: string, next: Kept | undefined, send: () => Promise<Answer | undefined>) => {
    kept.maybe.set(path, [...(kept.maybe.get(path) ?? []), next])
    if (!(await send())) return false
    kept.objects.set(path, next)
    kept.maybe.delete(path)
    return true
  }
  const password = token()
  await change(id, { fields: { ...first, password } }, () => call('PUT', `/object/${id}`, { password }))

  const content = randomBytes(sizes[round % sizes.length] ?? 0)
  const stored = await call('POST', '/object', formWith({ groupid: vaultId, description: 'kept' }, content))
  if (!stored) return
  const fileId = said(stored, 'objectid')
  const other = randomBytes(400_000)
  kept.objects.set(fileId, { fields: {}, file: content })
  await change(fileId, { fields: {}, file: other }, () => call('PUT', `/object/${fileId}`, formWith({}, other)))
  if (round % 3 === 2) await change(id, undefined, () => call('DELETE', `/object/${id}`))

  const username = `user-${token()}`
  const person = { username, fullname: 'Of the storm', email: `${username}@example.test`, status: 129, passphrase }
  const user = await call('POST', '/user', { ...person, totp: true })
  if (!user) return
  const userId = said(user, 'id')
  const totp = new URL(said(user, 'otpauth')).searchParams.get('secret') ?? ''
  kept.users.push({ id: userId, username, totp })
  const shared = await call('POST', `/vault/${vaultId}/member/${userId}`, { status: 2 })
  if (shared) kept.members.set(userId, '2')
  const device = await call('POST', `/user/${userId}/otp`, { kind: 'hotp' })
  if (device) kept.hotp.push({ userId, secret: said(device, 'secret') })
  if (round % 2 === 1 && shared) {
    kept.members.delete(userId)
    if (await call('DELETE', `/vault/${vaultId}/member/${userId}`)) kept.members.set(userId, undefined)
  }
  const vault = await call('POST', '/vault', { vaultname: 'Short' })
  if (vault && (await call('DELETE', `/vault/${vaultIdOf(vault)}`))) kept.deletedVaults.push(vaultIdOf(vault))
}

async function expectKept(
  appliance: TestAppliance,
  client: TestClient,
  vaultId: string,
  kept: Promises,
): Promise<void> {
  for (const [id, last] of kept.objects) {
    const possible = [last, ...(kept.maybe.get(id) ?? [])]
    const found = await contentOf(client, id)
    expect(
      possible.map((one) => one && shortened(one)),
      id,
    ).toContainEqual(found && shortened(found))
    kept.objects.set(id, found)
    kept.maybe.delete(id)
  }
  const vaults = (await client.must('GET', '/vault'))['VAULTS'] as { id: string }[]
  expect(vaults.filter(({ id }) => kept.deletedVaults.includes(id))).toEqual([])
  const members = (await client.must('GET', `/vault/${vaultId}/members`)).CALLINFO['vaultmembers'] as Record<
    string,
    string
  >[]
  for (const [userId, status] of kept.members)
    expect(members.find(({ id }) => id === userId)?.['groupstatus'], userId).toBe(status)
  const recorded = outcomesIn(appliance.config.audit.directory)
  expect(kept.requestIds.filter((id) => !recorded.get(id)?.includes('allowed'))).toEqual([])
}

async function contentOf(client: TestClient, id: string): Promise<Kept | undefined> {
  if (verdict(await client.get(`/object/${id}`)) === '404 1610') return undefined
  const object = await readObject(client, id, '?decrypt=true')
  if (object.fileinfo === undefined)
    return { fields: { host: object.public['host'] ?? '', password: object.crypted?.['password'] ?? '' } }
  const { FILEDATA } = await client.must('GET', `/object/${id}?filedata=true`)
  return { fields: {}, file: Buffer.from(String(FILEDATA), 'base64') }
}

const shortened = ({ fields, file }: Kept) => ({ fields, file: file?.toString('base64', 0, 90), bytes: file?.length })

it(
  'killed amid a storm of objects, files, people and shares: what was answered is there',
  { timeout: 240_000 },
  async () => {
    const appliance = await TestAppliance.own(twoWorkers, { onDisk: true })
    onTestFinished(() => appliance.close())
    const chief = await appliance.addUser(['read', 'createVault', 'admin', 'active'])
    const client = await appliance.login(chief)
    const vaultId = vaultIdOf({ json: await client.must('POST', '/vault', { vaultname: 'Storm' }) })
    const kept = new Promises()

    for (const calls of storms) {
      const enough = kept.requestIds.length + calls
      await under(
        writers,
        async (writer, round) => {
          const call: Call = async (method, path, body) => {
            const options = body && 'raw' in body ? body : { body }
            const outcome = await client.call(method, path, options).catch(lostConnection)
            const [done] = doneOf([outcome])
            if (done) kept.requestIds.push(requestIdOf(done))
            else expect(outcome, verdict(outcome)).toHaveProperty('lost')
            return done
          }
          await write(vaultId, round + writer, call, kept)
        },
        async () => {
          await eventually(() => kept.requestIds.length >= enough)
          await appliance.stop('SIGKILL')
        },
      )
      await appliance.restart()
      await expectKept(appliance, client, vaultId, kept)
      await expectSoundTrail(appliance)
    }
    expect(kept.users.length).toBeGreaterThan(writers)
    await expectPeople(appliance, kept)
    await expectTidy(appliance)
    await expectKept(appliance, client, vaultId, kept)
    expect(appliance.journal).not.toMatch(/"code":"(internal|object\.tampered|hsm\.seal_broken)"/)
  },
)

function lostConnection(error: unknown): { lost: string } {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(code)) return { lost: code }
  throw error
}

/** Expects that the last users can log in with the factors that they were told once. */
async function expectPeople(appliance: TestAppliance, { users, hotp }: Promises): Promise<void> {
  const logIn = async (user: Pick<TestUser, 'username'>, otp: string) =>
    verdict(
      await appliance
        .client()
        .post('/auth', { ...user, passphrase, apikey: appliance.applicationKey, otp, logintype: 'totp' }),
    )
  for (const { username, totp } of users.slice(-writers)) {
    const otp = totpCode(totp)
    expect([await logIn({ username }, otp), await logIn({ username }, otp)], username).toEqual(['done', '403 1201'])
  }
  for (const { userId, secret } of hotp.slice(-writers)) {
    const username = users.find(({ id }) => id === userId)?.username ?? ''
    const [code = ''] = hotpCodes(secret, 0)
    expect([await logIn({ username }, code), await logIn({ username }, code)], username).toEqual(['done', '403 1201'])
  }
}

/**
 * Expects that all leftovers of the crashes are removed, and nothing else: no chunk without its object, and no key
 * without its vault except those of creations.
 */
async function expectTidy(appliance: TestAppliance): Promise<void> {
  await appliance.sql('UPDATE file_uploads SET touched_at = touched_at - 3600001')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const log = createLog({ level: 'silent', name: 'test' })
  const believedClock = { isBelieved: () => Promise.resolve(true) }
  const housekeeping = startHousekeeping({ services: appliance.services, log, believedClock })
  vi.advanceTimersByTime(60_000)
  vi.useRealTimers()
  onTestFinished(() => housekeeping.stop())
  const orphans = `SELECT 1 FROM file_chunks c LEFT JOIN file_uploads u ON u.id = c.upload_id
    LEFT JOIN vault_objects o ON o.id = u.object_id WHERE o.id IS NULL`
  const left = async () => [
    ...(await appliance.store.query(orphans, [])),
    ...(await appliance.store.query('SELECT 1 FROM file_uploads WHERE object_id IS NULL', [])),
    ...(await appliance.store.query('SELECT 1 FROM pending_destructions', [])),
  ]
  await eventually(async () => (await left()).length === 0)
  expect((await strongroom(appliance.configFile, ['doctor'])).stdout).not.toMatch(
    /has no key in the token|of deleted vaults/,
  )
}
