import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { findKey } from '../../../src/features/transparent/records.ts'
import { rewrapVersions } from '../../../src/features/transparent/rewrap-pass.ts'
import { createSealedVaultKeys } from '../../../src/features/transparent/sealed-vault-keys.ts'
import { sealedVersion } from '../../../src/features/transparent/sealing.ts'
import { makeNextVersion } from '../../../src/hsm/pkcs11/root-rotation.ts'
import { TestAppliance, twoWorkers } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { ceremonyOptions } from '../../support/ceremony.ts'
import { addUser, givenInitialised, recorded, strongroom } from '../../support/console-kit.ts'
import { asOfRelease020 } from '../../support/earlier-token.ts'
import { withPin } from '../../support/pin-session.ts'
import { steal } from '../../support/stolen-key.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const rootLabels = (token: TestAppliance['token']) =>
  withPin(token, ({ objects }) => [...new Set(objects.map(({ label }) => label))].toSorted())

describe('strongroom root-keys', () => {
  // The pause before a version is destroyed is as long as a request may take.
  const appliance = applianceForTests(() => TestAppliance.own({ ...twoWorkers, hsm: { deadlineMs: 2_000 } }))
  let vault: TestVault

  beforeAll(async () => {
    vault = await makeVault(appliance)
  })

  const run = (...args: string[]) => strongroom(appliance.configFile, ['root-keys', ...args])
  const ask = async (...args: string[]) => {
    const { status, stdout, stderr } = await strongroom(appliance.configFile, ['--json', 'root-keys', ...args])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return JSON.parse(stdout)
  }
  const versions = async (role: string) =>
    (await ask('list')).filter((one: { role: string }) => one.role === role).map(summary)
  const summary = ({ version, newest, protects }: Record<string, unknown>) => ({ version, newest, protects })
  const make = (name: string, body: object = {}) =>
    vault.admin.must('POST', `/transparent/${vault.id}/keys/${name}`, {
      type: 'aes256-gcm96',
      allow_backup: false,
      ...body,
    })
  const kekOf = async (name: string) => {
    const sql = `SELECT v.kek, v.backup_kek FROM key_versions v JOIN transparent_keys k ON k.id = v.key_id
      WHERE k.name = '${name}' ORDER BY v.version DESC`
    return (await appliance.store.read.query<{ kek: string; backup_kek: string | null }[]>(sql))[0]
  }

  it('lists every version and what it protects', async () => {
    await make('listed')
    const { stdout } = await run('list')
    expect(stdout).toMatch(/^kek\.strict +v1 +newest +\d+ versions? of (a key|keys), .*second factors/m)
    expect(stdout).toMatch(/^seal +v1 +newest +[1-9]\d* rows$/m)
    expect(stdout).toMatch(/^audit +v1 +newest +\d+ chains? of the audit trail$/m)
    expect(await versions('kek.strict')).toMatchObject([{ version: 1, newest: true, protects: { keyVersions: 1 } }])
  })

  it('puts new keys under the next strict KEK at once, and says what keeps the old one', async () => {
    await make('before')
    const ciphertext = await vault.encrypt('before', base64('kept'))
    expect(await ask('rotate', 'kek.strict')).toMatchObject({ made: ['strongroom.kek.strict.v2'], moved: 0 })
    for (const name of ['after-1', 'after-2', 'after-3', 'after-4']) {
      await make(name)
      expect(await kekOf(name)).toMatchObject({ kek: 'strict.v2' })
    }
    expect(await vault.decrypt('before', ciphertext)).toBe(base64('kept'))

    const again = await run('rotate', 'kek.strict', '--destroy-unused', '--yes')
    expect(again).toMatchObject({ status: 0, stderr: '' })
    expect(again.stdout).toMatch(/^strongroom\.kek\.strict\.v1 still protects$/m)
    expect(again.stdout).toMatch(/^ {2}\d+ +before +1 +rotate, rewrap, trim to 2$/m)
    expect(rootLabels(appliance.token)).toContain('strongroom.kek.strict.v1')
    expect(await ask('rotate', 'kek.strict')).toMatchObject({ made: [] })

    await vault.admin.must('POST', `/transparent/${vault.id}/keys/before/rotate`)
    const { stdout } = await run('rotate', 'kek.strict')
    expect(stdout).toMatch(/^ {2}\d+ +before +1 +rewrap, trim to 2$/m)
  })

  it('wraps exportable keys and their backups anew, and destroys what nothing names', async () => {
    await make('open', { allow_export: true, allow_plaintext_export: true, allow_backup: true })
    await make('signing', { type: 'ecdsa-p256', allow_export: true, allow_backup: true })
    const input = base64('signed before')
    const { CALLINFO: signed } = await vault.admin.must('POST', `/transparent/${vault.id}/sign/signing`, { input })
    const ciphertext = await vault.encrypt('open', base64('moves'))
    const plain = await vault.admin.must('GET', `/transparent/export/${vault.id}/open`)
    const backup = await vault.admin.must('GET', `/transparent/backup/${vault.id}/open`)
    for (const name of ['kek.exportable', 'kek.backup']) {
      const { made, moved, left } = await ask('rotate', name)
      expect({ moved, left }).toEqual({ moved: 2, left: [] })
      expect(made.length).toBe(name === 'kek.exportable' ? 1 : 3)
    }
    const [, newestBackup] = await versions('kek.backup-exportable')
    expect(await kekOf('open')).toEqual({
      kek: 'exportable.v2',
      backup_kek: `backup-exportable.v${newestBackup.version}`,
    })
    expect(await vault.decrypt('open', ciphertext)).toBe(base64('moves'))
    const { CALLINFO: again } = await vault.admin.must('POST', `/transparent/${vault.id}/sign/signing`, { input })
    for (const { signature } of [signed, again]) {
      const body = { input, signature }
      const { CALLINFO } = await vault.admin.must('POST', `/transparent/${vault.id}/verify/signing`, body)
      expect(CALLINFO).toMatchObject({ valid: true })
    }
    expect((await vault.admin.must('GET', `/transparent/export/${vault.id}/open`))['KEYS']).toEqual(plain['KEYS'])

    const before = rootLabels(appliance.token)
    expect(await run('rotate', 'kek.exportable', '--destroy-unused')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--yes'),
    })
    expect(rootLabels(appliance.token)).toEqual(before)
    const { destroyed } = await ask('rotate', 'kek.exportable', '--destroy-unused', '--yes')
    expect(destroyed).toEqual(['strongroom.kek.exportable.v1'])
    expect(rootLabels(appliance.token)).toEqual(before.filter((label) => label !== 'strongroom.kek.exportable.v1'))
    expect(await vault.decrypt('open', ciphertext)).toBe(base64('moves'))

    const older = await ask('rotate', 'kek.backup', '--destroy-unused', '--yes')
    expect(older.destroyed.toSorted()).toHaveLength(3)
    const text = (backup['KEYS'] as { backup: string }).backup
    const refused = await vault.admin.post(`/transparent/restore/${vault.id}/again`, { backup: text })
    expect(refused.status).toBe(400)
    const fresh = (await vault.admin.must('GET', `/transparent/backup/${vault.id}/open`))['KEYS'] as { backup: string }
    await vault.admin.must('POST', `/transparent/restore/${vault.id}/again`, fresh)
    expect(await vault.decrypt('again', ciphertext)).toBe(base64('moves'))
  })

  it('refuses what is no root key', async () => {
    const reason = expect.stringContaining('name one of')
    expect(await run('rotate', 'nothing')).toMatchObject({ status: 2, stderr: reason })
  })

  it('compares by the pepper that made a check, and makes it anew as users log in', async () => {
    const user = await appliance.addUser()
    const others = await versions('pepper')
    expect(await ask('rotate', 'pepper')).toMatchObject({ made: ['strongroom.pepper.v2'] })
    const peppers = async () => (await versions('pepper')).map(({ protects }: { protects: unknown }) => protects)
    expect(await peppers()).toEqual([
      others[0].protects,
      { passphrases: 0, applicationKeys: 0, staticKeys: 0, devices: 0 },
    ])
    await appliance.login(user)
    const [{ passphrases, applicationKeys }] = await peppers()
    expect({ passphrases, applicationKeys }).toEqual({
      passphrases: others[0].protects.passphrases - 1,
      applicationKeys: others[0].protects.applicationKeys,
    })
    const wrong = { ...appliance.credentials(user), passphrase: 'of somebody else' }
    expect((await appliance.client().call('POST', '/auth', { body: wrong })).status).toBe(403)
    await appliance.login(user)
    const fresh = await appliance.addUser()
    const { key } = await appliance.services.applicationKeys.create('made by v2', appliance.commit)
    const login = { ...appliance.credentials(fresh), apikey: key }
    expect((await appliance.client().call('POST', '/auth', { body: login })).status).toBe(200)
    expect((await peppers())[1]).toEqual({ passphrases: 2, applicationKeys: 1, staticKeys: 0, devices: 2 })
    const { destroyed, older } = await ask('rotate', 'pepper', '--destroy-unused', '--yes')
    expect(destroyed).toEqual([])
    expect(older).toMatchObject([{ label: 'strongroom.pepper.v1', needed: true }])
  })

  it('leaves a row that was edited where it is, and says so', async () => {
    await make('edited', { allow_export: true })
    await make('sound', { allow_export: true })
    await appliance.sql(`UPDATE key_versions SET created_at = created_at + 1
        WHERE key_id = (SELECT id FROM transparent_keys WHERE name = 'edited')`)
    const { made, moved, left, older } = await ask('rotate', 'kek.exportable', '--destroy-unused', '--yes')
    expect({ made, moved }).toEqual({ made: ['strongroom.kek.exportable.v3'], moved: 3 })
    expect(left).toEqual([expect.objectContaining({ version: 1, reason: expect.stringContaining('altered') })])
    expect(older).toMatchObject([{ label: 'strongroom.kek.exportable.v2', needed: true, keys: [{ name: 'edited' }] }])
  })

  it('uses a version that the operator of another machine had made, once the keeper has heard of it', async () => {
    const { made } = makeNextVersion(ceremonyOptions(appliance.token), 'kek.exportable')
    await appliance.hsm.noteRoots(made)
    await vi.waitFor(
      async () => {
        const name = `heard-${performance.now()}`
        await make(name, { allow_export: true })
        expect(await kekOf(name)).toMatchObject({ kek: made[0]?.replace('strongroom.kek.', '') })
      },
      { timeout: 60_000, interval: 1_000 },
    )
  })

  it('takes a row again that a call changes while it is moved, not one that is gone, and names one that stays once', async () => {
    const { store, hsm } = appliance
    const { vaultKey } = await createSealedVaultKeys(store).of(Number(vault.id))
    const open = await findKey(store.read, Number(vault.id), 'open')
    if (open === undefined) throw new Error('the key is gone')
    const keeperHasHeard = async () =>
      expect(await hsm.rewrapVersion(sealedVersion(open.key, open.latest), vaultKey)).toMatchObject({
        kek: 'exportable.v4',
      })
    await vi.waitFor(keeperHasHeard, { timeout: 60_000, interval: 500 })
    let commits = 0
    const { left } = await rewrapVersions(
      {
        reader: store.read,
        hsm,
        async commit(_, work) {
          if (commits++ > 0) return store.transaction(work)
          await vault.admin.must('PUT', `/transparent/${vault.id}/keys/open/versions/1`, { enabled: true })
          return store.transaction(async (tx) => {
            const sound = "SELECT id FROM transparent_keys WHERE name = 'sound'"
            await tx.query(`DELETE FROM key_versions WHERE key_id = (${sound})`)
            return work(tx)
          })
        },
        progress: () => expect(commits).toBeLessThan(100),
      },
      ['exportable.v2', 'exportable.v3'],
    )
    expect(await kekOf('open')).toMatchObject({ kek: 'exportable.v4' })
    expect(left).toHaveLength(1)
  })
})

it('a strict KEK that nothing needs goes, and init makes no first version again', async () => {
  const premises = await givenInitialised()
  premises.configure({ hsm: { deadlineMs: 5_000 } })
  await addUser(premises, 'alice')
  await premises.ask(['root-keys', 'rotate', 'kek.strict'])
  const { destroyed } = await premises.ask(['root-keys', 'rotate', 'kek.strict', '--destroy-unused', '--yes'])
  expect(destroyed).toEqual(['strongroom.kek.strict.v1'])
  expect(rootLabels(premises.token)).not.toContain('strongroom.kek.strict.v1')
  await premises.ask(['otp', 'enroll', 'alice', '--totp'])
  expect((await premises.ask(['init'])).created).toEqual([])
  expect(recorded(premises).map(([operation, outcome, subject]) => `${operation} ${outcome} ${subject}`)).toEqual(
    expect.arrayContaining([
      'console.root-keys.make allowed kek.strict',
      'console.root-keys.destroy allowed strongroom.kek.strict.v1',
    ]),
  )
})

it('a pass that is killed goes on where it was', async () => {
  const appliance = await TestAppliance.own({}, { prepare: asOfRelease020 })
  try {
    const vault = await makeVault(appliance)
    const names = Array.from({ length: 400 }, (_, index) => `key-${index}`)
    for (const name of names)
      await vault.admin.must('POST', `/transparent/${vault.id}/keys/${name}`, { type: 'aes256-gcm96' })
    const ciphertext = await vault.encrypt('key-7', base64('seventh'))
    const leftBelow = async () => {
      const sql = "SELECT count(*) AS n FROM key_versions WHERE backup_kek = 'backup.v1'"
      return Number((await appliance.store.read.query<{ n: number }[]>(sql))[0]?.n)
    }
    expect(await leftBelow()).toBe(400)
    const entry = resolve(import.meta.dirname, '../../../dist/bin/strongroom.js')
    const pass = spawn(process.execPath, [entry, '--config', appliance.configFile, 'init'], { stdio: 'ignore' })
    const ended = new Promise((done) => pass.once('exit', done))
    while ((await leftBelow()) === 400 && pass.exitCode === null) await delay(2)
    pass.kill('SIGKILL')
    await ended
    const left = await leftBelow()
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(400)

    const { stdout, status } = await strongroom(appliance.configFile, ['init'])
    expect(status).toBe(0)
    expect(stdout).toContain(`${left} backups of keys moved from under backup.v1, which the PIN can read`)
    expect(await leftBelow()).toBe(0)
    const destroying = ['--json', 'root-keys', 'rotate', 'kek.backup', '--destroy-unused', '--yes']
    const { destroyed } = JSON.parse((await strongroom(appliance.configFile, destroying)).stdout)
    expect(destroyed).toEqual(['strongroom.backup-seal.v1', 'strongroom.kek.backup.v1'])
    const { KEYS } = await vault.admin.must('GET', `/transparent/backup/${vault.id}/key-7`)
    await vault.admin.must('POST', `/transparent/restore/${vault.id}/restored`, KEYS)
    expect(await vault.decrypt('restored', ciphertext)).toBe(base64('seventh'))
  } finally {
    await appliance.close()
  }
}, 120_000)

it('a pass over the seals that is killed goes on where it was, and what it sealed is used without the old key', async () => {
  const appliance = await TestAppliance.own({}, { prepare: (token) => void steal(token, 'seal') })
  try {
    const owner = await appliance.addUser()
    const vault = await makeVault(appliance, 'Sealed', await appliance.login(owner))
    const names = Array.from({ length: 400 }, (_, index) => `key-${index}`)
    for (const name of names)
      await vault.admin.must('POST', `/transparent/${vault.id}/keys/${name}`, { type: 'aes256-gcm96' })
    const ciphertext = await vault.encrypt('key-7', base64('seventh'))
    const seals = async () =>
      (await appliance.store.read.query<{ seal: string }[]>('SELECT seal FROM key_versions')).map(({ seal }) => seal)
    const before = new Set(await seals())
    const left = async () => (await seals()).filter((seal) => before.has(seal)).length
    const entry = resolve(import.meta.dirname, '../../../dist/bin/strongroom.js')
    const command = ['--config', appliance.configFile, 'root-keys', 'rotate', 'seal']
    const pass = spawn(process.execPath, [entry, ...command], { stdio: 'ignore' })
    const ended = new Promise((done) => pass.once('exit', done))
    while ((await left()) === before.size && pass.exitCode === null) await delay(2)
    pass.kill('SIGKILL')
    await ended
    const broken = await left()
    expect(broken).toBeGreaterThan(0)
    expect(broken).toBeLessThan(before.size)
    expect(await vault.decrypt('key-7', ciphertext)).toBe(base64('seventh'))
    const listed = await strongroom(appliance.configFile, ['root-keys', 'list'])
    expect(listed.stdout).toMatch(/^seal +v1 +[1-9]\d* rows$/m)
    expect(listed.stdout).toMatch(/^seal +v2 +newest +[1-9]\d* rows$/m)

    await appliance.stop()
    const run = async (...args: string[]) => {
      const { status, stdout } = await strongroom(appliance.configFile, ['--json', 'root-keys', 'rotate', ...args])
      expect(status).toBe(0)
      return JSON.parse(stdout)
    }
    const { made, moved, left: notMoved } = await run('seal')
    expect({ made, notMoved }).toEqual({ made: [], notMoved: [] })
    expect(moved).toBeGreaterThanOrEqual(broken)
    expect(await left()).toBe(0)
    expect(await run('seal', '--destroy-unused', '--yes', '--end-sessions')).toMatchObject({
      ended: 1,
      moved: 0,
      destroyed: ['strongroom.seal.v1'],
    })
    expect(rootLabels(appliance.token)).not.toContain('strongroom.seal.v1')
    await appliance.restart()
    expect((await vault.admin.call('GET', '/auth/check')).status).toBe(403)
    vault.admin.token = (await appliance.login(owner)).token
    expect(await vault.decrypt('key-7', ciphertext)).toBe(base64('seventh'))
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/key-8/rotate`)
    const user = await appliance.addUser()
    await vault.share(String(user.id), 'Read')
    await appliance.login(user)
  } finally {
    await appliance.close()
  }
}, 120_000)
