import { createHmac, randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { currentResponseVersion } from '../../../src/access/caller.ts'
import { capabilitiesOf } from '../../../src/access/capabilities.ts'
import { createApplianceCommit } from '../../../src/audit/recorded-commit.ts'
import { insertApplicationKey } from '../../../src/features/auth/application-key-records.ts'
import { createAuthenticator } from '../../../src/features/auth/authentication.ts'
import type { RotationRules } from '../../../src/features/auth/token-rotation.ts'
import { Fault } from '../../../src/fault.ts'
import type { Hsm } from '../../../src/hsm/hsm.ts'
import { composeRecord, openRecord } from '../../../src/hsm/record-layouts.ts'
import { createSessions, type NewSession, type Sessions } from '../../../src/features/auth/sessions.ts'
import { newSessionToken } from '../../../src/features/auth/session-token.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/store.ts'
import { tables } from '../../../src/daemon/tables.ts'
import { userRow } from '../../support/user-row.ts'
import { insertUser, UserTable } from '../../../src/features/users/records.ts'

const minute = 60_000
const rules = {
  idleTimeoutMs: 60 * minute,
  absoluteTimeoutMs: 10 * 60 * minute,
  rotation: 'compatible',
  rotateAfterMs: 24 * 60 * minute,
  rotateAfterUses: 0,
  perUser: 20,
} as const

let directory: string
let store: Store
let now: number
const clock = { now: () => now }

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'strongroom-session-'))
  store = await openStore({ sqlite: join(directory, 'test.sqlite') }, tables)
  now = Date.UTC(2026, 0, 1)
})
afterEach(() => store.close())

type Keeper = Pick<Hsm, 'sessionTokenSuccessor' | 'seal' | 'grant' | 'endSessions'>

/** All workers ask one token. */
const tokenHost: Keeper = {
  sessionTokenSuccessor: (token) => Promise.resolve(createHmac('sha256', 'pepper').update(token).digest()),
  seal: () => Promise.resolve(Buffer.alloc(32)),
  // What seals show is for tests with a token.
  grant: ({ user }) => {
    const { fields } = openRecord(user.record)
    if (!('capabilities' in fields) || !('id' in fields)) throw new TypeError('no user')
    const { id: userId, capabilities } = fields
    const narrow = { vault: null, permission: 0, grants: null, expiresAt: now + minute, recoveries: 0 }
    const record = composeRecord('grant', {
      session: Buffer.alloc(16),
      user: Buffer.alloc(16),
      userId,
      capabilities,
      ...narrow,
    })
    return Promise.resolve({ record, seal: Buffer.alloc(32) })
  },
  endSessions: () => Promise.resolve(),
}

/** A worker: what it knows beyond the database is its own. */
function worker(own: Partial<RotationRules> = {}, hsm: Keeper = tokenHost) {
  const cardRejection = () => Promise.resolve('an unknown smartcard')
  const commitAsAppliance = createApplianceCommit({
    store,
    clock,
    audit: { append: () => Promise.resolve() },
    readRows: () => Promise.resolve({}),
  })
  const authenticator = createAuthenticator({
    store,
    hsm,
    membershipOf: () => Promise.resolve(undefined),
    clock,
    rules: { ...rules, ...own },
    commitAsAppliance,
    cardRejection,
    report: () => undefined,
  })
  const sessions = createSessions({ store, hsm, clock, limits: rules })
  return {
    sessions,
    admits: (token: string) =>
      authenticator.authenticate({ token, address: '::1' }).then(
        () => true,
        () => false,
      ),
    /** The token of the answer. */
    next: async (token: string) => (await authenticator.authenticate({ token, address: '::1' })).token,
  }
}

/** Opens a session as a login does; the keeper begins it. */
function open(
  sessions: Sessions,
  { userId, ...from }: Pick<NewSession, 'applicationKeyId' | 'address'> & { readonly userId: number },
) {
  const { token } = newSessionToken()
  const times = { createdAt: now, expiresAt: now + rules.absoluteTimeoutMs }
  const begun = { token, identity: randomBytes(16), seal: Buffer.alloc(32), isCheckCurrent: true, ...times }
  return store.transaction(async (tx) => {
    const user = await tx.findOneByOrFail(UserTable, { id: userId })
    return { token, sessionId: await sessions.open(tx, { ...from, user, certificate: null, begun }) }
  })
}

async function givenUser(name = 'alice') {
  return store.transaction(async (tx) => {
    const user = await insertUser(tx, userRow(name))
    const key = {
      name,
      keyCheck: Buffer.from(name),
      createdAt: 0,
      revokedAt: null,
      responseVersion: currentResponseVersion,
      identity: Buffer.alloc(0),
      generation: 1,
      seal: Buffer.alloc(0),
    }
    return { userId: user.id, applicationKeyId: (await insertApplicationKey(tx, key)).id, address: '::1' }
  })
}

async function givenSession() {
  const user = await givenUser()
  const one = worker()
  const opened = await open(one.sessions, user)
  return { ...one, ...opened, userId: user.userId }
}

describe('a session', () => {
  it('lives on while it is used, until it is too old', async () => {
    const { admits, token } = await givenSession()
    for (let call = 0; call < 12; call++) {
      now += 50 * minute
      expect(await admits(token)).toBe(true)
    }
    now += 50 * minute
    expect(await admits(token)).toBe(false)
  })

  it('that was found idle stays dead when the clock is set back', async () => {
    const { admits, token } = await givenSession()
    now += 2 * rules.idleTimeoutMs
    expect(await admits(token)).toBe(false)
    now -= 2 * rules.idleTimeoutMs - minute
    expect(await admits(token)).toBe(false)
    expect(await worker().admits(token)).toBe(false)
  })

  it('that nobody looked at is ended by housekeeping, and stays dead when the clock is set back', async () => {
    const { admits, token, sessions } = await givenSession()
    now += 2 * rules.idleTimeoutMs
    await sessions.endExpired()
    now -= 2 * rules.idleTimeoutMs
    expect(await admits(token)).toBe(false)
  })

  it('gains no time by a clock that is set back by more than its time-out', async () => {
    const { admits, token } = await givenSession()
    now -= 2 * rules.idleTimeoutMs
    expect(await admits(token)).toBe(false)
  })

  it('survives a clock that is put right by minutes', async () => {
    const { admits, token } = await givenSession()
    now -= 10 * minute
    expect(await admits(token)).toBe(true)
  })

  it('that was ended stays dead, whatever the clock says', async () => {
    const { admits, token, sessions, sessionId } = await givenSession()
    await store.transaction((tx) => sessions.end(tx, sessionId))
    for (const step of [0, -5 * minute, 10 * minute, -300 * minute]) {
      now += step
      expect(await admits(token)).toBe(false)
    }
  })

  it('of a user who was disabled stays dead when he is enabled again', async () => {
    const { admits, token, userId } = await givenSession()
    await store.transaction((tx) => tx.update(UserTable, { id: userId }, { capabilities: 0 }))
    expect(await admits(token)).toBe(false)
    const capabilities = capabilitiesOf(['read', 'active'])
    await store.transaction((tx) => tx.update(UserTable, { id: userId }, { capabilities }))
    expect(await admits(token)).toBe(false)
  })

  it('that is idle does not push out one that is used', async () => {
    const { admits, token, userId, sessions } = await givenSession()
    const application = { userId, applicationKeyId: 1, address: '::1' }
    for (let n = 0; n < rules.perUser - 1; n++) await open(sessions, application)
    now += rules.idleTimeoutMs - minute
    expect(await admits(token)).toBe(true)
    now += 10 * minute
    for (let n = 0; n < rules.perUser - 1; n++) await open(sessions, application)
    expect(await admits(token)).toBe(true)
    expect(await sessions.list(userId)).toHaveLength(rules.perUser)
    await open(sessions, application)
    expect(await admits(token)).toBe(false)
  })
})

describe('strict rotation', () => {
  const strict = { rotation: 'strict', rotateAfterMs: 10 * minute } as const

  async function givenRotated() {
    const { token } = await givenSession()
    now += 11 * minute
    return { token, next: await worker(strict).next(token) }
  }

  it('offers one next token to every use of the old one within the overlap, by any worker', async () => {
    const { token, next } = await givenRotated()
    expect(next).toMatch(/^[A-Za-z0-9]{42}$/)
    expect(next).not.toBe(token)
    for (let use = 0; use < 3; use++) {
      now += 9_000
      expect(await worker(strict).next(token)).toBe(next)
    }
    now += 60 * 1000
    expect(await worker(strict).next(next)).toBe(next)
  })

  it('gives parallel uses the same next token', async () => {
    const { token } = await givenSession()
    now += 11 * minute
    const workers = Array.from({ length: 10 }, () => worker(strict))
    const offered = new Set(await Promise.all(workers.map((one) => one.next(token))))
    offered.delete(token)
    expect(offered.size).toBe(1)
    expect(await worker(strict).admits([...offered][0] ?? '')).toBe(true)
  })

  it('ends the session when the old token is used after the overlap', async () => {
    const { token, next } = await givenRotated()
    now += 31_000
    expect(await worker(strict).admits(token)).toBe(false)
    expect(await worker(strict).admits(next)).toBe(false)
  })

  it('keeps nothing that leads from the old token to the next without the pepper', async () => {
    const { token, next } = await givenRotated()
    const rows = JSON.stringify(await store.query('SELECT * FROM session_tokens', []))
    expect(rows).not.toContain(token)
    expect(rows).not.toContain(next)
    const otherPepper = {
      ...tokenHost,
      sessionTokenSuccessor: (sent: string) => tokenHost.sessionTokenSuccessor(`${sent}x`),
    }
    expect(await worker(strict, otherPepper).next(token)).toBe(token)
  })

  it('offers no token that the session does not have: one replaced by an earlier release keeps its own', async () => {
    const { token } = await givenSession()
    now += 11 * minute
    const random = await worker({ ...strict, rotation: 'compatible' }).next(token)
    now += 1_000
    expect(await worker(strict).next(token)).toBe(token)
    expect(await worker(strict).next(random)).toBe(random)
  })

  it('waits while no token host answers', async () => {
    const { token } = await givenSession()
    now += 11 * minute
    const silent = { ...tokenHost, sessionTokenSuccessor: () => Promise.reject(new Fault('hsm.unavailable')) }
    expect(await worker(strict, silent).next(token)).toBe(token)
    expect(await worker(strict).next(token)).not.toBe(token)
  })
})
