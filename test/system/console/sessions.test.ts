import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/store/open.ts'
import { insertSession } from '../../../src/features/auth/session-records.ts'
import { tables } from '../../../src/daemon/tables.ts'
import { addUser, givenInitialised, recorded, type Premises } from '../../support/console-kit.ts'

/** Opens a session like a login, for a console without a daemon. */
async function openSession(premises: Premises, userId: number, seenMsAgo = 0): Promise<number> {
  const store = await openStore({ sqlite: premises.database }, tables)
  const lastSeenAt = Date.now() - seenMsAgo
  const session = {
    userId,
    applicationKeyId: 1,
    address: '192.0.2.7',
    createdAt: lastSeenAt,
    lastSeenAt,
    endedAt: null,
    certificate: null,
    credential: null,
    identity: Buffer.alloc(16),
    recoveries: 0,
    expiresAt: 0,
  }
  const id = await store.transaction((tx) =>
    insertSession(tx, session, { hash: `hash-${Math.random()}`, seal: Buffer.alloc(32) }),
  )
  await store.close()
  return id
}

describe('strongroom session', () => {
  it('lists who is logged in, ends one and all, and records that', async () => {
    const premises = await givenInitialised()
    await addUser(premises, 'alice')
    await addUser(premises, 'bobby')
    await premises.ask(['apikey', 'create', 'payroll'])
    const first = await openSession(premises, 1)
    const second = await openSession(premises, 1)
    const other = await openSession(premises, 2)
    await openSession(premises, 2, 2 * 3_600_000)
    const ids = async (...user: string[]) =>
      (await premises.ask(['session', 'list', ...user])).map(({ id, username }: { id: number; username: string }) => [
        id,
        username,
      ])
    expect(await ids()).toEqual([
      [other, 'bobby'],
      [second, 'alice'],
      [first, 'alice'],
    ])
    expect((await premises.run(['session', 'list', 'bobby'])).stdout).toMatch(
      /^\d+ +bobby +192\.0\.2\.7 +payroll +\S+ \S+ +\S+ \S+$/m,
    )
    expect(await premises.ask(['session', 'end', 'ALICE', String(first)])).toEqual({ username: 'ALICE', ended: 1 })
    expect(await ids('alice')).toEqual([[second, 'alice']])
    expect(await premises.ask(['session', 'end', 'alice'])).toEqual({ username: 'alice', ended: 1 })
    expect(await ids()).toEqual([[other, 'bobby']])
    expect(await premises.run(['session', 'end', 'alice', String(other)])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('no such session'),
    })
    expect((await premises.run(['session', 'list', 'nobody'])).status).toBe(1)
    expect(recorded(premises).slice(-3)).toEqual([
      ['console.session.end', 'allowed', `session ${first} of user ALICE`],
      ['console.session.end', 'allowed', 'user alice'],
      ['console.session.end', 'session.not_found', `session ${other} of user alice`],
    ])
  })
})
