import { generateKeyPairSync } from 'node:crypto'
import { operatorId } from '../../src/access/confirmation.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CardAppliance, upload as registerCard } from '../api/certificates/card-kit.ts'
import { twoWorkers, type TestAppliance, type TestUser } from '../support/appliance.ts'
import type { TestClient } from '../support/client.ts'
import { ClientCa, pemOf } from '../support/client-pki.ts'
import { contracts } from '../support/contracts.ts'
import { verdict } from '../support/fault-kit.ts'
import { HardwareToken, totpCode } from '../support/hardware-token.ts'
import { createObject, formWith, upload } from '../support/object-kit.ts'

/**
 * The attacker is an administrator, who manages accounts. He has only the interface, and is in no vault of his victim.
 */
const ca = new ClientCa()
let cards: CardAppliance
let appliance: TestAppliance
let administrator: TestClient
let administratorId: string

beforeAll(async () => {
  cards = await CardAppliance.start({ clientCa: ca.certificate }, twoWorkers)
  appliance = cards.appliance
  const user = await appliance.addUser(['read', 'createVault', 'admin', 'audit', 'active'])
  administratorId = String(user.id)
  administrator = await appliance.login(user)
})
afterAll(() => cards.close())

/** Things of the victim in one vault. */
interface Hoard {
  readonly vaultId: string
  readonly objectId: string
  readonly fileId: string
  /** Id of a deleted object that is not destroyed yet. */
  readonly trashedId: string
  readonly ciphertext: string
}

interface Scene {
  readonly victim: TestUser
  readonly session: TestClient
  /** The other Admin of the vault `shared`. */
  readonly keeper: TestClient
  readonly keeperUser: TestUser
  /**
   * `shared`: a vault with another Admin. `read`: a vault where the victim only has Read. The third vault is the
   * victim's alone.
   */
  readonly shared: Hoard
  readonly read: Hoard
  readonly own: Hoard
}

const secret = 'the plain text of a hoard'
/** Public key of the attacker, for which an exported key would be wrapped. */
const courierKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .publicKey.export({ type: 'spki', format: 'der' })
  .toString('base64')

async function hoard(client: TestClient): Promise<Hoard> {
  const [{ id: vaultId }] = (await client.must('POST', '/vault', { vaultname: 'Hoard' }))['VAULT'] as [{ id: string }]
  await client.must('POST', `/transparent/${vaultId}/keys/treasure`, { type: 'aes256-gcm96', allow_export: true })
  const plaintext = Buffer.from(secret).toString('base64')
  const { CALLINFO } = await client.must('POST', `/transparent/${vaultId}/encrypt/treasure`, { plaintext })
  const trashedId = await createObject(client, vaultId, { host: 'gone.example.test', password: secret })
  await client.must('DELETE', `/object/${trashedId}`)
  return {
    vaultId,
    trashedId,
    objectId: await createObject(client, vaultId, { host: 'hoard.example.test', password: secret }),
    fileId: await upload(client, { groupid: vaultId }, Buffer.from(secret)),
    ciphertext: String(CALLINFO['ciphertext']),
  }
}

async function givenScene(): Promise<Scene> {
  const [victim, keeperUser] = [await appliance.addUser(), await appliance.addUser()]
  const [session, keeper] = [await appliance.login(victim), await appliance.login(keeperUser)]
  const [shared, read, own] = [await hoard(keeper), await hoard(keeper), await hoard(session)]
  await keeper.must('POST', `/vault/${shared.vaultId}/member/${victim.id}`, { status: 4 })
  await keeper.must('POST', `/vault/${read.vaultId}/member/${victim.id}`, { status: 1 })
  return { victim, session, keeper, keeperUser, shared, read, own }
}

const passphrase = 'eleven grey lanterns over snow'
const reset = (by: TestClient, { id }: TestUser) =>
  by.must('PUT', `/user/${id}/passphrase`, { newpassphrase: passphrase })
const enrolApp = async (by: TestClient, { id }: TestUser): Promise<string> =>
  String((await by.must('POST', `/user/${id}/otp`, { kind: 'totp' })).CALLINFO['secret'])

async function logIn(members: object, client = appliance.client()): Promise<TestClient> {
  const { CALLINFO } = await client.must('POST', '/auth', { apikey: appliance.applicationKey, ...members })
  client.token = CALLINFO.token
  return client
}
const logInByApp = ({ username }: TestUser, seed: string) =>
  logIn({ username, passphrase, logintype: 'totp', otp: totpCode(seed) })

/** Resets the pass phrase, enrols an authenticator app and logs in as the victim. */
async function takeOver(victim: TestUser, by = administrator): Promise<TestClient> {
  await reset(by, victim)
  return logInByApp(victim, await enrolApp(by, victim))
}

/** Ways to become the victim: with a new pass phrase, or with an observed one and a factor of the attacker. */
const ways: Readonly<Record<string, (victim: TestUser) => Promise<TestClient>>> = {
  'a pass phrase and an authenticator app': (victim) => takeOver(victim),

  async 'a pass phrase and a hardware token'(victim) {
    const token = new HardwareToken()
    await reset(administrator, victim)
    const device = { public_id: token.publicId, private_id: token.privateId, secret: token.key }
    const raw = JSON.stringify({ kind: 'hwkey_otp', ...device })
    expect(verdict(await administrator.call('POST', `/user/${victim.id}/otp`, { raw }))).toBe('done')
    const { username } = victim
    return logIn({ username, passphrase, logintype: 'hwkey_otp', otp: token.press() })
  },

  async 'the prefix of a hardware token that lies in stock'(victim) {
    const token = new HardwareToken()
    await appliance.services.enrolments.enrolHardwareToken(null, token.secrets(), operatorId, appliance.commit)
    await reset(administrator, victim)
    await administrator.must('PUT', `/user/${victim.id}`, { otpprefix: token.publicId })
    const { username } = victim
    return logIn({ username, passphrase, logintype: 'hwkey_otp', otp: token.press() })
  },

  async 'a certificate, beside a pass phrase that was seen'(victim) {
    const card = ca.issue('/CN=Victim')
    expect(verdict(await registerCard(administrator, victim.id, pemOf(card)))).toBe('done')
    return logIn(cards.credentials(victim), cards.holding(card))
  },

  async 'an authenticator app, beside a pass phrase that was seen'(victim) {
    const seed = await enrolApp(administrator, victim)
    return logIn({
      username: victim.username,
      passphrase: victim.passphrase,
      logintype: 'totp',
      otp: totpCode(seed),
    })
  },
}

/** All calls into a vault, with the things that they name. */
const vaultCalls = ({ vaultId, objectId, fileId, trashedId, ciphertext }: Hoard) =>
  contracts
    // LIST is served only over HTTP/2, by the contract of GET.
    .filter(({ access, method }) => access.kind === 'vault' && method !== 'LIST')
    .map(({ operation, method, path }) => {
      const named: Record<string, string> = {
        vaultid: vaultId,
        objectid: operation === 'object.undelete' ? trashedId : operation.includes('file') ? fileId : objectId,
        name: 'treasure',
        userid: administratorId,
        type: 'plaintext',
        version: '1',
      }
      const place = path.replaceAll(/:(\w+)/g, (_, name: string) => named[name] ?? '1')
      const members = {
        groupid: vaultId,
        templateid: '1',
        parentid: '0',
        status: 4,
        favourite: true,
        tags: ['hoard'],
        ciphertext,
      }
      const raw = JSON.stringify(members)
      return { what: `${method} ${path}`, method, place, options: method === 'GET' || method === 'LIST' ? {} : { raw } }
    })

/** What the attacker gets from a vault, as the victim: the names of calls that were not refused. */
async function lootOf(as: TestClient, { vaultId, objectId, fileId, ciphertext }: Hoard): Promise<string[]> {
  const looted: string[] = []
  const take = async (what: string, call: Promise<{ status: number; json: object }>): Promise<void> => {
    const { json } = await call
    if (JSON.stringify(json).includes('SUCCESS')) looted.push(what)
  }
  await take('encrypt', as.post(`/transparent/${vaultId}/encrypt/treasure`, { plaintext: 'YQ==' }))
  await take('decrypt', as.post(`/transparent/${vaultId}/decrypt/treasure`, { ciphertext }))
  await take('backup', as.get(`/transparent/backup/${vaultId}/treasure`))
  await take('export', as.get(`/transparent/export/${vaultId}/treasure?public_key=${encodeURIComponent(courierKey)}`))
  await take('secret', as.get(`/object/${objectId}?decrypt=true`))
  await take('file', as.get(`/object/${fileId}?filedata=true`))
  await take('contents', as.get(`/vault/${vaultId}`))
  await take('members', as.get(`/vault/${vaultId}/members`))
  await take('join', as.post(`/vault/${vaultId}/member/${administratorId}`, { status: 4 }))
  const { json: list } = await as.get('/vault')
  if ((list['VAULTS'] as { id: string }[]).some(({ id }) => id === vaultId)) looted.push('name')
  const { json: found } = await as.get('/find?needle=hoard')
  if (JSON.stringify(found['OBJECT'] ?? []).includes(`"groupid":"${vaultId}"`)) looted.push('found')
  return looted
}

const lootOfAll = async (as: TestClient, { shared, read, own }: Scene) => ({
  shared: await lootOf(as, shared),
  read: await lootOf(as, read),
  own: await lootOf(as, own),
})
const nothing = { shared: [], read: [], own: [] }

describe('an administrator', () => {
  it.each(Object.entries(ways))('sees no vault of a user whom he gave %s', async (_way, become) => {
    const scene = await givenScene()
    const victim = await become(scene.victim)
    expect(verdict(await victim.post('/auth/check'))).toBe('done')
    expect(await lootOfAll(victim, scene)).toEqual(nothing)
    expect(verdict(await scene.session.post('/auth/check'))).toBe('403 1200')
  })

  it('is refused in every call that leads into a vault', async () => {
    const scene = await givenScene()
    const victim = await takeOver(scene.victim)
    for (const of of [scene.shared, scene.read, scene.own])
      for (const { what, method, place, options } of vaultCalls(of)) {
        // The session token is sent in a header, because some of these calls echo nothing.
        const headers = { 'X-Http-Token': victim.token ?? '' }
        const answer = await victim.call(method, place, { ...options, headers, token: null })
        expect([what, verdict(answer)]).toEqual([what, '403 1302'])
      }
    const { raw, headers } = formWith({ groupid: scene.shared.vaultId }, Buffer.from('new'))
    expect(verdict(await victim.call('POST', '/object', { raw, headers }))).toBe('403 1302')
  })

  it('gets nothing by disabling, enabling and renaming the account', async () => {
    const scene = await givenScene()
    const { victim } = scene
    await administrator.must('DELETE', `/user/${victim.id}`)
    const as = async (status: readonly number[]) => {
      await administrator.must('PUT', `/user/${victim.id}`, { status, username: `${victim.username}x` })
      await reset(administrator, victim)
      const seed = await enrolApp(administrator, victim)
      return logInByApp({ ...victim, username: `${victim.username}x` }, seed)
    }
    expect(await lootOfAll(await as([0, 1, 2, 3, 7]), scene)).toEqual(nothing)
  })

  it('gets nothing by changing the pass phrase as the victim', async () => {
    const scene = await givenScene()
    const as = await takeOver(scene.victim)
    const next = 'twelve green kettles in the attic'
    const seed = await enrolApp(administrator, scene.victim)
    const change = { passphrase, newpassphrase: next, otp: totpCode(seed), logintype: 'totp' }
    expect(verdict(await as.post('/auth/check'))).toBe('403 1200')
    const again = await logInByApp(scene.victim, await enrolApp(administrator, scene.victim))
    await again.must('PUT', '/auth/passphrase', change)
    expect(await lootOfAll(again, scene)).toEqual(nothing)
  })

  it('gets nothing by locking out other Admins of the vault', async () => {
    const scene = await givenScene()
    await administrator.must('DELETE', `/user/${scene.keeperUser.id}`)
    const as = await takeOver(scene.victim)
    expect(await lootOfAll(as, scene)).toEqual(nothing)
    await administrator.must('PUT', `/user/${scene.keeperUser.id}`, { status: [0, 1, 7] })
    const keeper = await takeOver(scene.keeperUser)
    expect(await lootOfAll(keeper, scene)).toEqual(nothing)
    // One of his victims cannot confirm another one either.
    const confirm = `/vault/${scene.shared.vaultId}/member`
    expect(verdict(await keeper.post(`${confirm}/${scene.victim.id}/confirm`))).toBe('403 1302')
    expect(verdict(await as.post(`${confirm}/${scene.keeperUser.id}/confirm`))).toBe('403 1302')
    expect(verdict(await as.post(`${confirm}/${scene.victim.id}/confirm`))).toBe('403 1302')
    expect(verdict(await administrator.post(`${confirm}/${scene.victim.id}/confirm`))).toBe('404 1400')
  })
})

/** He is also an Admin of the vault: he may see its content himself, but may not act in it as another user. */
describe('an administrator who is Admin of the vault', () => {
  async function givenOwnVault() {
    const { client, user } = await anotherAdministrator()
    const of = await hoard(client)
    const victim = await appliance.addUser()
    await appliance.login(victim)
    await client.must('POST', `/vault/${of.vaultId}/member/${victim.id}`, { status: 2 })
    return { client, user, of, victim, member: `/vault/${of.vaultId}/member/${victim.id}` }
  }
  async function anotherAdministrator() {
    const user = await appliance.addUser(['read', 'createVault', 'admin', 'active'])
    return { user, client: await appliance.login(user) }
  }

  it('cannot confirm a member whom he reset, also by adding him again or changing his permission', async () => {
    const { client, of, victim, member } = await givenOwnVault()
    const as = await takeOver(victim, client)
    expect(verdict(await client.post(`${member}/confirm`))).toBe('403 1303')
    await client.must('PUT', member, { status: 4 })
    expect(verdict(await client.post(member, { status: 4 }))).toBe('409 1404')
    expect(await lootOf(as, of)).toEqual([])
    await client.must('DELETE', member)
    await client.must('POST', member, { status: 4 })
    expect(verdict(await client.post(`${member}/confirm`))).toBe('403 1303')
    expect(await lootOf(as, of)).toEqual([])
  })

  it('gets no confirmation by Admins whom he appointed afterwards, directly or through others', async () => {
    const { client, of, victim, member } = await givenOwnVault()
    const as = await takeOver(victim, client)
    const puppets = [await appliance.addUser(), await appliance.addUser()] as const
    const [one, two] = [await appliance.login(puppets[0]), await appliance.login(puppets[1])]
    await client.must('POST', `/vault/${of.vaultId}/member/${puppets[0].id}`, { status: 4 })
    await one.must('POST', `/vault/${of.vaultId}/member/${puppets[1].id}`, { status: 1 })
    await one.must('PUT', `/vault/${of.vaultId}/member/${puppets[1].id}`, { status: 4 })
    for (const puppet of [one, two]) {
      expect(verdict(await puppet.post(`${member}/confirm`))).toBe('403 1303')
      await puppet.must('DELETE', member)
      await puppet.must('POST', member, { status: 2 })
    }
    expect(await lootOf(as, of)).toEqual([])
  })
})
