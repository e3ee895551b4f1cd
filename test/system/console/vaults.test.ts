import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { makeVault } from '../../support/vault.ts'
import { strongroom } from '../../support/console-kit.ts'

const appliance = applianceForTests(() => TestAppliance.own())
const vault = vaultForTests(appliance, 'Ledgers')
let heir: TestUser

beforeAll(async () => {
  heir = await appliance.addUser()
})

const run = (...args: string[]) => strongroom(appliance.configFile, args)
const ask = async (...args: string[]) => JSON.parse((await run('--json', ...args)).stdout)
const adminName = async (): Promise<string> => (await ask('vault', 'members', vault.id))[0].username
const doctorOn = async (subject: string) =>
  (await ask('doctor')).findings.filter((finding: { subject: string }) => finding.subject === subject)

describe('strongroom vault', () => {
  it('lists vaults and members, and nothing of what is in them', async () => {
    await vault.encrypt('secret-name', 'AAAA')
    expect(await ask('vault', 'list')).toEqual([
      { id: Number(vault.id), name: 'Ledgers', members: 1, activeAdmins: 1, createdAt: expect.any(Number) },
    ])
    expect((await run('vault', 'list')).stdout).toMatch(/^\d+ +\S+ \S+ +1 +1 +Ledgers$/m)
    expect(await ask('vault', 'members', vault.id)).toMatchObject([{ permission: 'Admin', active: true }])
    expect((await run('vault', 'members', vault.id)).stdout).toMatch(/Admin +active$/m)
    const grants = [{ keys: 'mail-*', operations: ['encrypt'] }]
    const { id } = await appliance.addUser()
    await vault.admin.must('POST', `/vault/${vault.id}/member/${id}`, { status: 1, grants })
    expect(await ask('vault', 'members', vault.id)).toMatchObject([{ grants: null }, { permission: 'Read', grants }])
    expect((await run('vault', 'members', vault.id)).stdout).toMatch(/Read, narrowed +active$/m)
    await vault.admin.must('DELETE', `/vault/${vault.id}/member/${id}`)
    for (const args of [['list'], ['members', vault.id]])
      expect((await run('vault', ...args)).stdout).not.toContain('secret-name')
  })

  it.each(['0', '99', '-1', '0x1', 'abc', '1e1', '9'.repeat(30)])('knows no vault %s', async (id) => {
    for (const args of [
      ['members', id],
      ['adopt', id, heir.username],
    ]) {
      const { status, stderr } = await run('vault', args[0] ?? '', '--', ...args.slice(1))
      expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('strongroom vault list') })
    }
  })

  it('lets a backup into a vault that it is not of, and records it', async () => {
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/travels`)
    const { KEYS } = await vault.admin.must('GET', `/transparent/backup/${vault.id}/travels`)
    const { backup } = KEYS as { backup: string }
    const file = join(appliance.directory, 'travels.backup')
    writeFileSync(file, `${backup}\n`)
    const other = await makeVault(appliance, 'Other')
    const path = `/transparent/restore/${other.id}/travels`
    expect((await other.admin.post(path, { backup })).status).toBe(403)
    const accepted = await run('vault', 'accept-backup', other.id, file)
    expect(accepted.stdout).toMatch(/The backup of the vault [0-9a-f]{32} may be restored in vault \d+\./)
    await other.admin.must('POST', path, { backup })
    expect(await run('vault', 'accept-backup', '99', file)).toMatchObject({ status: 1 })
    expect(await run('vault', 'accept-backup', other.id, '/nowhere')).toMatchObject({
      status: 2,
      stderr: 'strongroom: /nowhere does not exist: name another file\n',
    })
    writeFileSync(file, backup.slice(4))
    expect(await run('vault', 'accept-backup', other.id, file)).toMatchObject({ status: 1 })
  })

  it('gives a vault a new Admin only when none of its Admins can log in, and records it', async () => {
    expect(await doctorOn('vault admins')).toMatchObject([{ state: 'ok' }])
    const refused = await run('vault', 'adopt', vault.id, heir.username)
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('ask that Admin') })
    const session = await appliance.login(heir)
    expect((await session.must('GET', '/vault'))['VAULTS']).toEqual([])

    await ask('user', 'disable', await adminName())
    expect(await doctorOn('vault admins')).toMatchObject([
      { state: 'warning', remedy: expect.stringContaining('adopt') },
    ])
    expect(await run('vault', 'adopt', vault.id, 'nobody-here')).toMatchObject({ status: 1 })
    expect(await run('vault', 'adopt', vault.id, await adminName())).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('cannot log in'),
    })
    expect(await ask('vault', 'adopt', vault.id, heir.username)).toEqual({ id: Number(vault.id), admin: heir.username })
    expect((await session.must('GET', '/vault'))['VAULTS']).toMatchObject([{ id: vault.id, status: '4' }])
    expect((await run('vault', 'adopt', vault.id, heir.username)).status).toBe(1)

    const trail = readFileSync(join(appliance.config.audit.directory, 'console.000001.jsonl'), 'utf8')
    const subject = `vault ${vault.id} user ${heir.username}`
    const outcomes = trail
      .split('\n')
      .filter((line) => line.includes(`"subject":"${subject}"`) && line.includes('"operation":"console.vault.adopt"'))
      .map((line) => /"outcome":"([^"]*)"/.exec(line)?.[1])
    expect(outcomes).toEqual(['vault.has_admin', 'allowed', 'vault.has_admin'])
  })

  it('raises one who is a member already', async () => {
    const own = await makeVault(appliance, 'Own')
    const reader = await appliance.addUser()
    await own.share(String(reader.id), 'Read')
    await ask('user', 'disable', (await ask('vault', 'members', own.id))[0].username)
    await ask('vault', 'adopt', own.id, reader.username)
    expect(await ask('vault', 'members', own.id)).toMatchObject([
      { permission: 'Admin', active: false },
      { username: reader.username, permission: 'Admin', active: true },
    ])
  })
})
