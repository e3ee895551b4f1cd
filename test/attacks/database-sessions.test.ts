import { createHash } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../support/for-tests.ts'
import type { TestClient } from '../support/client.ts'
import { copyOfRows, inDatabase } from '../support/database-owner.ts'

/**
 * The attacker writes to the database while the daemon runs: he forges sessions, memberships and rights, alters them,
 * and puts rows back. He has a session of a user without any rights.
 */
const appliance = applianceForTests(() => TestAppliance.own())
const vault = vaultForTests(appliance)
let mallory: TestUser
let client: TestClient

beforeAll(async () => {
  await vault.encrypt('payroll', 'AAAA')
})
beforeEach(async () => {
  mallory = await appliance.addUser(['read', 'active'])
  client = await appliance.login(mallory)
})

const edit = (sql: string, ...parameters: unknown[]): unknown =>
  inDatabase(appliance, (connection) => connection.prepare(sql).run(...parameters))

/** The answer to a call, as status and error number. */
async function answer(method: string, path: string, body?: unknown): Promise<string> {
  const { status, json } = await client.call(method, path, body === undefined ? {} : { body })
  const [number = ''] = Object.keys(json.ERRORCODES ?? {})
  return `${status} ${number}`
}

const decryption = () => answer('POST', `/transparent/${vault.id}/encrypt/payroll`, { plaintext: 'AAAA' })
const listing = () => answer('GET', '/user')
const sealBroken = '503 1903'
const outdated = '503 1911'

describe('a session', () => {
  it('that was made up for another user is refused, and reported', async () => {
    const victim = await appliance.addUser(['read', 'active', 'admin'])
    await appliance.login(victim)
    const token = 'A'.repeat(42)
    const hash = createHash('sha256').update(token).digest('base64')
    const journal = appliance.journal.length
    edit(
      `INSERT INTO session_tokens (hash, session_id, issued_at, uses)
       SELECT ?, max(id), ?, 0 FROM sessions WHERE user_id = ?`,
      hash,
      Date.now(),
      victim.id,
    )
    client = appliance.client(token)
    expect(await listing()).toBe(sealBroken)
    expect(appliance.journal.slice(journal)).toContain('altered outside Strongroom')
  })

  it('of his own is not that of another user', async () => {
    expect(await listing()).toMatch(/^403 /)
    const victim = await appliance.addUser(['read', 'active', 'admin'])
    edit('UPDATE sessions SET user_id = ? WHERE user_id = ?', victim.id, mallory.id)
    expect(await listing()).toBe(sealBroken)
  })

  it('that was ended is not begun again', async () => {
    const putBack = copyOfRows(appliance, 'sessions', `user_id = ${mallory.id}`)
    await appliance.commit((tx) => appliance.services.sessions.endOthers(tx, mallory.id))
    putBack()
    expect(await answer('GET', '/auth/check')).toBe('403 1200')
  })
})

describe('a membership', () => {
  it('that was made up is refused', async () => {
    expect(await decryption()).toMatch(/^40[34] /)
    edit(
      `INSERT INTO vault_members (vault_id, user_id, permission, added_at) VALUES (?, ?, 4, 0)`,
      Number(vault.id),
      mallory.id,
    )
    expect(await decryption()).toBe(sealBroken)
  })

  it('gives no more than it was given', async () => {
    await vault.share(String(mallory.id), 'Read')
    expect(await decryption()).toBe('201 ')
    edit('UPDATE vault_members SET permission = 4 WHERE user_id = ?', mallory.id)
    expect(await answer('GET', `/transparent/backup/${vault.id}/payroll`)).toBe(sealBroken)
  })

  it('that was taken away does not come back', async () => {
    await vault.share(String(mallory.id), 'Read')
    const putBack = copyOfRows(appliance, 'vault_members', `user_id = ${mallory.id}`)
    await vault.share(String(mallory.id), undefined)
    putBack()
    expect(await decryption()).toBe(outdated)
  })
})

describe('rights on the appliance', () => {
  it('are not given in the database', async () => {
    expect(await listing()).toMatch(/^403 /)
    edit('UPDATE users SET capabilities = ? WHERE id = ?', capabilitiesOf(['read', 'active', 'admin']), mallory.id)
    expect(await listing()).toBe(sealBroken)
  })

  it('that were taken away do not come back', async () => {
    const admin = await appliance.addUser(['read', 'active', 'admin'])
    client = await appliance.login(admin)
    const putBack = copyOfRows(appliance, 'users', `id = ${admin.id}`)
    await appliance.services.users.change(
      admin.id,
      { capabilities: () => capabilitiesOf(['read', 'active']) },
      appliance.commit,
    )
    putBack()
    expect(await listing()).toBe(outdated)
  })
})

describe('the key of an application', () => {
  it('that was revoked opens nothing again', async () => {
    const { applicationKey, key } = await appliance.services.applicationKeys.create('doomed', appliance.commit)
    const login = async () => {
      const credentials = { ...appliance.credentials(mallory), apikey: key }
      client = appliance.client()
      const { json } = await client.call('POST', '/auth', { body: credentials })
      client.token = json.CALLINFO.token
    }
    await login()
    const putBack = copyOfRows(appliance, 'application_keys', `id = ${applicationKey.id}`)
    await appliance.services.applicationKeys.revoke('doomed', appliance.commit)
    putBack()
    expect(await answer('GET', '/auth/check')).toBe(outdated)
  })
})
