import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Capability } from '../../../src/access/capabilities.ts'
import { stateOf, verdict } from '../../support/fault-kit.ts'
import { TestAppliance } from '../../support/appliance.ts'
import type { TestClient } from '../../support/client.ts'
import { ClientCa } from '../../support/client-pki.ts'
import { contracts } from '../../support/contracts.ts'
import { expectUnharmed } from '../../support/health.ts'
import { methodOf, peopleCalls } from '../../support/people-calls.ts'
import { givenGround, type Actor, type Ground, type Need } from '../../support/people-ground.ts'
import { withPasskeys } from '../../support/soft-authenticator.ts'
import { makeVault } from '../../support/vault.ts'

const ca = new ClientCa()
let appliance: TestAppliance
let ground: Ground

interface Standing {
  readonly capabilities: readonly Capability[]
  /** The permission bit of the user in the vault of the calls; 0 for no member. */
  readonly status: number
}

const standings: Readonly<Record<string, Standing>> = {
  'a stranger': { capabilities: ['read', 'active'], status: 0 },
  'an Admin of another vault': { capabilities: ['read', 'createVault', 'active'], status: 0 },
  'an administrator who is no member': { capabilities: ['read', 'admin', 'audit', 'active'], status: 0 },
  'a member with Read': { capabilities: ['read', 'active'], status: 1 },
  'a member with Write': { capabilities: ['read', 'active'], status: 2 },
  'a member with Admin': { capabilities: ['read', 'createVault', 'active'], status: 4 },
  'a member with Admin who makes no vaults': { capabilities: ['read', 'active'], status: 4 },
}
const actors: Record<string, Actor> = {}
const dead: Record<string, TestClient> = {}

beforeAll(async () => {
  appliance = await TestAppliance.shared(withPasskeys)
  ground = await givenGround(appliance, ca)
  const members: [number, number][] = []
  for (const [who, { capabilities, status }] of Object.entries(standings)) {
    const user = await appliance.addUser(capabilities)
    actors[who] = { user, client: await appliance.login(user) }
    if (status > 0) members.push([user.id, status])
  }
  for (const [userId, status] of members)
    await ground.chief.client.must('POST', `/vault/${ground.vaultId}/member/${userId}`, { status })
  ground = { ...ground, members }
  await makeVault(appliance)
  await giveUpSessions()
})
afterAll(async () => {
  await expectUnharmed(appliance)
  await appliance.close()
})

/** Makes sessions invalid that were valid before, of users with every capability. */
async function giveUpSessions(): Promise<void> {
  const { applicationKeys, users } = appliance.services
  const { key } = await applicationKeys.create('revoked', appliance.commit)
  const of = async () => appliance.addUser(['read', 'createVault', 'admin', 'active'])
  dead['nobody'] = appliance.client()
  dead['a made-up token'] = appliance.client('A'.repeat(42))
  dead['a session that was logged out'] = await appliance.login(await of())
  await dead['a session that was logged out'].must('GET', '/auth/logout')
  const disabled = await of()
  dead['a disabled user'] = await appliance.login(disabled)
  await users.disable(disabled.username, appliance.commit)
  const login = { ...appliance.credentials(await of()), apikey: key }
  dead['a revoked application'] = appliance.client(
    (await appliance.client().must('POST', '/auth', login)).CALLINFO.token,
  )
  await applicationKeys.revoke('revoked', appliance.commit)
  // A call marks an invalid session as ended, once.
  for (const client of Object.values(dead)) await client.post('/auth/check')
}

const bits: Readonly<Record<string, number>> = { Read: 1, Write: 2, Admin: 4 }

/** The refusal for a thing that the caller may not see, by the beginning of its path. */
const notFound = [
  ['/object/', '404 1610'],
  ['/link/', '404 1760'],
] as const

/** The expected answer to a call with this need. */
function expected(need: Need, { capabilities, status }: Standing, unseen: string): string {
  // Things that belong to their maker alone do not exist for others.
  if (need === 'maker') return unseen
  const [permission, capability] = need.split(' and ')
  const level = bits[permission ?? '']
  if (level !== undefined && status === 0) return unseen
  if (level !== undefined && status < level) return '403 1301'
  const wanted = level === undefined ? need : capability
  const enough = wanted === undefined || wanted === 'session' || wanted.split(' or ').some((one) => holds(one))
  return enough ? 'done' : '403 1300'

  function holds(one: string): boolean {
    return capabilities.some((held) => held === one)
  }
}

describe('every call of the people’s side', () => {
  it('has a row', () => {
    const served = contracts
      .filter(({ path, access }) => !path.startsWith('/transparent') && access.kind !== 'public')
      .map(({ method, path }) => `${method} ${path}`)
    const rows = Object.keys(peopleCalls).map((name) => name.replace(/ \(.*/, ''))
    expect(new Set(rows)).toEqual(new Set(served))
  })

  it.each(Object.entries(peopleCalls))(
    '%s is open to those it is for, and refused to all others without a trace',
    async (name, { needs, own, prepare }) => {
      const method = methodOf(name)
      const refused = await prepare(ground)
      const [unseen = '404 1400'] = notFound.filter(([of]) => refused.path.startsWith(of)).map(([, answer]) => answer)
      const before = await stateOf(appliance)
      for (const [who, client] of Object.entries(dead)) {
        const answer = await client.call(method, refused.path, refused.options?.(ground.chief))
        expect(verdict(answer), who).toBe('403 1200')
      }
      expect(await stateOf(appliance)).toEqual(before)
      for (const [who, standing] of Object.entries(standings)) {
        const actor = actors[who] ?? ground.chief
        const wanted = expected(needs, standing, unseen)
        const { path, options } =
          wanted === 'done' ? await prepare(own ? { ...ground, chief: actor } : ground) : refused
        const client = name === 'GET /auth/logout' ? await appliance.login(actor.user) : actor.client
        const then = await stateOf(appliance)
        expect(verdict(await client.call(method, path, options?.(actor))), who).toBe(wanted)
        if (wanted !== 'done') expect(await stateOf(appliance), who).toEqual(then)
      }
    },
  )
})
