import { existsSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createServices } from '../../src/daemon/services.ts'
import { importBody } from '../api/transparent/key-kit.ts'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../support/for-tests.ts'
import type { TestVault } from '../support/vault.ts'

/**
 * The attacker is a user with vaults of his own. He has copies of what others sent, such as a body on the wire or a
 * lost file. He has only TLS and his session.
 */
const appliance = applianceForTests(() => TestAppliance.own())
const victim = vaultForTests(appliance)
const attacker = vaultForTests(appliance)

let fresh = 0
const freshName = () => `key-${++fresh}`
const readable = { type: 'aes256-gcm96', allow_export: true, allow_plaintext_export: true }
const strict = { type: 'aes256-gcm96' }

/** The plain value of the key by export; undefined where that is refused. */
async function plainOf({ id, admin }: TestVault, name: string): Promise<string | undefined> {
  const { json } = await admin.get(`/transparent/export/${id}/${name}`)
  return (json['KEYS'] as { key?: string }[] | undefined)?.[0]?.key
}

const importInto = ({ id, admin }: TestVault, name: string, body: object) =>
  admin.post(`/transparent/import/${id}/${name}`, body)

/** An import job of this vault, as a member of a body. */
async function jobOf({ id, admin }: TestVault, name: string, policy: object): Promise<{ job?: unknown }> {
  const { json } = await admin.post(`/transparent/import_job/${id}/${name}`, policy)
  return json.CALLINFO?.['job'] === undefined ? {} : { job: json.CALLINFO['job'] }
}

/** Ways to use another user's import that was seen on the wire. */
const uses: Readonly<Record<string, (seen: object, seenName: string) => Promise<object>>> = {
  'as it is': (seen) => Promise.resolve(seen),
  'without the job': (seen) => Promise.resolve({ ...seen, job: undefined }),
  'with a job of his own': async (seen, name) => ({ ...seen, ...(await jobOf(attacker, name, readable)) }),
}

describe.each([
  ['before it arrives', false],
  ['after it was used', true],
])('the import of another that was seen on the wire, %s', (_when, arrives) => {
  it.each(Object.entries(uses))('gives nothing away: %s', async (_way, use) => {
    const value = randomBytes(32)
    const name = freshName()
    const seen = await importBody(victim.admin, victim.id, name, value, strict)
    if (arrives) expect((await importInto(victim, name, seen)).status).toBe(201)
    await importInto(attacker, name, { ...(await use(seen, name)), ...readable })
    expect(await plainOf(attacker, name)).not.toBe(value.toString('base64'))
  })
})

describe('an import job', () => {
  it('serves one import, also of four at once, and no other when the name is free again', async () => {
    const name = freshName()
    const path = `/transparent/import/${victim.id}/${name}`
    const body = await importBody(victim.admin, victim.id, name, randomBytes(32), strict)
    const answers = await Promise.all(Array.from({ length: 4 }, () => victim.admin.post(path, body)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    await victim.admin.must('DELETE', `/transparent/${victim.id}/keys/${name}`)
    const inAYear = { now: () => Date.now() + 365 * 86_400_000 }
    const { config, store, hsm } = appliance
    const unrecorded = { append: () => Promise.resolve() }
    await createServices({ config, store, hsm, clock: inAYear, audit: unrecorded }).keyDeletion.destroyExpired()
    expect((await victim.admin.get(`/transparent/${victim.id}/keys/${name}`)).status).toBe(404)
    expect((await victim.admin.post(path, body)).status).not.toBe(201)
  })

  it.each([
    ['for another name', () => victim],
    ['for another vault', () => attacker],
  ])('does not serve %s', async (_what, vaultOf) => {
    const made = await importBody(victim.admin, victim.id, freshName(), randomBytes(32), readable)
    expect((await importInto(vaultOf(), freshName(), made)).status).not.toBe(201)
  })

  it('makes a key of its own type and policy, whatever the import says', async () => {
    const value = randomBytes(32)
    const name = freshName()
    const body = await importBody(victim.admin, victim.id, name, value, strict)
    await importInto(victim, name, { ...body, ...readable, type: 'hmac-sha256', allow_backup: true })
    expect(await plainOf(victim, name)).toBeUndefined()
    const described = await victim.admin.get(`/transparent/${victim.id}/keys/${name}`)
    const [key] = described.json['KEYS'] as Record<string, string>[]
    expect(key).toMatchObject({ type: 'aes256-gcm96', allow_export: 'false' })
  })
})

describe('the backup of another vault that was stolen', () => {
  it.each(['Read', 'Write', undefined] as const)(
    'is of no use to who has %s there, with force and without',
    async (permission) => {
      const name = freshName()
      await victim.admin.must('POST', `/transparent/${victim.id}/keys/${name}`, strict)
      const ciphertext = await victim.encrypt(name, 'c2VjcmV0')
      const { KEYS } = await victim.admin.must('GET', `/transparent/backup/${victim.id}/${name}`)
      const { backup } = KEYS as { backup: string }
      const user = await appliance.addUser()
      const thief = await appliance.login(user)
      if (permission !== undefined) await victim.share(String(user.id), permission)
      const [{ id }] = (await thief.must('POST', '/vault', { vaultname: 'Own' }))['VAULT'] as [{ id: string }]
      for (const body of [{ backup }, { backup, force: true }])
        await thief.post(`/transparent/restore/${id}/${name}`, body)
      const { json } = await thief.post(`/transparent/${id}/decrypt/${name}`, { ciphertext })
      expect(json.CALLINFO?.['plaintext']).toBeUndefined()
    },
  )
})

const faketime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'

describe.runIf(existsSync(faketime))('an import job of yesterday', () => {
  it('serves no more', async () => {
    const user = await appliance.addUser()
    const today = await appliance.login(user)
    const [{ id }] = (await today.must('POST', '/vault', { vaultname: 'Late' }))['VAULT'] as [{ id: string }]
    const body = await importBody(today, id, 'late', randomBytes(32), strict)
    const faked = { LD_PRELOAD: faketime, FAKETIME: '+25h', FAKETIME_DONT_FAKE_MONOTONIC: '1' }
    await appliance.restart('SIGTERM', faked)
    try {
      const tomorrow = await appliance.login(user)
      expect((await tomorrow.post(`/transparent/import/${id}/late`, body)).status).not.toBe(201)
      const inTime = await importBody(tomorrow, id, 'late', randomBytes(32), strict)
      expect((await tomorrow.post(`/transparent/import/${id}/late`, inTime)).status).toBe(201)
    } finally {
      await appliance.restart()
    }
  })
})
