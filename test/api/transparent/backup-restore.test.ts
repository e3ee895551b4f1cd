import { afterAll, describe, expect, it } from 'vitest'
import { rootLabel } from '../../../src/hsm/pkcs11/root-objects.ts'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'
import { holdCeremony } from '../../support/ceremony.ts'
import { rawBackupSeal } from '../../support/raw-seal.ts'
import { makeOtherToken, type TestToken } from '../../support/token.ts'
import { decodeContent, encodeContent, readKeyBackup } from '../../../src/hsm/key-backup-record.ts'
import { encodeRecord } from '../../../src/hsm/key-record.ts'
import { base64, readKey } from './key-kit.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)

afterAll(() => expectUnharmed(appliance))

const backupPath = (name: string) => `/transparent/backup/${vault.id}/${name}`
const restorePath = (name: string) => `/transparent/restore/${vault.id}/${name}`

async function backUp(of: TestVault, name: string): Promise<string> {
  const { KEYS } = await of.admin.must('GET', `/transparent/backup/${of.id}/${name}`)
  return (KEYS as { backup: string }).backup
}

/** Makes a key with three versions, the second of which is disabled. Resolves to a ciphertext of each. */
async function makeKey(of: TestVault, name: string, body: object = {}): Promise<string[]> {
  const path = `/transparent/${of.id}/keys/${name}`
  await of.admin.must('POST', path, body)
  const ciphertexts = [await of.encrypt(name, base64('version 1'))]
  for (const version of [2, 3]) {
    await of.admin.must('POST', `${path}/rotate`)
    ciphertexts.push(await of.encrypt(name, base64(`version ${version}`)))
  }
  await of.admin.must('PUT', `${path}/versions/2`, { enabled: false })
  return ciphertexts
}

async function expectAllVersions(of: TestVault, name: string, ciphertexts: readonly string[]): Promise<void> {
  const path = `/transparent/${of.id}/decrypt/${name}`
  expect(await of.decrypt(name, ciphertexts[0] ?? '')).toBe(base64('version 1'))
  expectFault(await of.admin.post(path, { ciphertext: ciphertexts[1] }), 409, 1509)
  await of.admin.must('PUT', `/transparent/${of.id}/keys/${name}/versions/2`, { enabled: true })
  expect(await of.decrypt(name, ciphertexts[1] ?? '')).toBe(base64('version 2'))
  expect(await of.decrypt(name, ciphertexts[2] ?? '')).toBe(base64('version 3'))
}

/** A version without its count, which is higher after a restore because of a new lease. */
function withoutCount(version: Readonly<Record<string, unknown>>) {
  const { encryptions: _, ...rest } = version
  return rest
}

describe('a backup', () => {
  it('brings a deleted key back under another name and in another vault: versions, flags, limits, counts and age', async () => {
    const flags = {
      type: 'aes256-gcm96',
      info: 'né',
      allow_export: true,
      allow_plaintext_export: true,
      auto_rotate_period: 86_400,
    }
    const ciphertexts = await makeKey(vault, 'whole', flags)
    await vault.admin.must('PUT', vault.keyPath('whole'), { min_encryption_version: 2 })
    const before = await readKey(vault.admin, vault.id, 'whole')
    const answer = await vault.admin.get(backupPath('whole'))
    expect(answer.json.CALLINFO).toMatchObject({ name: 'whole', version: '3', objectid: before.KEYS[0]?.['objectid'] })
    const backup = await backUp(vault, 'whole')
    await vault.admin.must('DELETE', vault.keyPath('whole'))
    const other = await makeVault(appliance, 'Other', vault.admin)
    for (const [of, name] of [
      [vault, 'again'],
      [other, 'whole'],
    ] as const) {
      const { CALLINFO } = await of.admin.must('POST', `/transparent/restore/${of.id}/${name}`, { backup })
      expect(CALLINFO).toMatchObject({ name, key_version: '3' })
      const after = await readKey(of.admin, of.id, name)
      expect(after.KEYS).toEqual([{ ...before.KEYS[0], name, objectid: CALLINFO['objectid'] }])
      expect(after.VERSIONS.map(withoutCount)).toEqual(before.VERSIONS.map(withoutCount))
      await expectAllVersions(of, name, ciphertexts)
    }
    const counts = await appliance.store.query<{ name: string; invocations: number }>(
      "SELECT k.name, sum(kv.invocations) AS invocations FROM key_versions kv JOIN transparent_keys k ON k.id = kv.key_id WHERE k.name IN ('whole', 'again') GROUP BY k.id ORDER BY k.id",
      [],
    )
    const [original, ...restored] = counts.map(({ invocations }) => invocations)
    for (const count of restored) expect(count).toBeGreaterThan(original ?? Infinity)
  })

  it.each(['hmac-sha256', 'ecdsa-p256', 'rsa-2048', 'aes128-ofb'])('of %s serves as before', async (type) => {
    await vault.admin.must('POST', vault.keyPath(type), { type })
    const backup = await backUp(vault, type)
    const name = `${type}-restored`
    await vault.admin.must('POST', restorePath(name), { backup })
    const at = `/transparent/${vault.id}`
    if (type === 'aes128-ofb') return expect(await vault.decrypt(name, await vault.encrypt(type, 'AAAA'))).toBe('AAAA')
    const verb = type === 'hmac-sha256' ? 'hmac' : 'sign'
    const { CALLINFO } = await vault.admin.must('POST', `${at}/${verb}/${type}`, { input: 'AAAA' })
    const member = verb === 'hmac' ? 'hmac' : 'signature'
    const verified = await vault.admin.must('POST', `${at}/verify/${name}`, {
      input: 'AAAA',
      [member]: CALLINFO[member],
    })
    expect(verified.CALLINFO['valid']).toBe(true)
  })

  it('of a key that was not exportable gives none that is', async () => {
    await makeKey(vault, 'strict')
    await vault.admin.must('POST', restorePath('strict-again'), { backup: await backUp(vault, 'strict') })
    expectFault(await vault.admin.get(`/transparent/export/${vault.id}/strict-again`), 409, 1513)
    const keks = await appliance.store.query<{ kek: string }>(
      "SELECT DISTINCT kv.kek FROM key_versions kv JOIN transparent_keys k ON k.id = kv.key_id WHERE k.name = 'strict-again'",
      [],
    )
    expect(keks).toEqual([{ kek: expect.stringMatching(/^backup\.v/) }])
  })

  it('is refused with any byte altered, cut short or prolonged: 400 1515, and makes no key', async () => {
    await makeKey(vault, 'altered')
    const backup = Buffer.from(await backUp(vault, 'altered'), 'base64')
    const variants = [
      backup.subarray(1),
      backup.subarray(0, -1),
      Buffer.concat([backup, Buffer.of(0)]),
      Buffer.concat([backup, backup]),
      Buffer.alloc(0),
      Buffer.alloc(500),
    ]
    for (let at = 0; at < backup.length; at += 37)
      for (const mask of [1, 0x80]) {
        const altered = Buffer.from(backup)
        altered.writeUInt8(altered.readUInt8(at) ^ mask, at)
        variants.push(altered)
      }
    for (const variant of variants)
      expectFault(await vault.admin.post(restorePath('never'), { backup: base64(variant) }), 400, 1515)
    for (const bad of ['*', 'AAA', null, 7, undefined])
      expectFault(await vault.admin.post(restorePath('never'), { backup: bad }), 400, 1804)
    expectFault(await vault.admin.get(vault.keyPath('never')), 404, 1500)
  })

  it('does not replace a key: 409 1501; by force it does, for Admins, unless the key may not be deleted', async () => {
    const ciphertexts = await makeKey(vault, 'source')
    const backup = await backUp(vault, 'source')
    await vault.admin.must('POST', vault.keyPath('target'))
    const lost = await vault.encrypt('target', 'AAAA')
    expectFault(await vault.admin.post(restorePath('target'), { backup }), 409, 1501)
    const writer = await vault.member('Write')
    expectFault(await writer.post(restorePath('target'), { backup, force: true }), 403, 1301)
    expect(await vault.decrypt('target', lost)).toBe('AAAA')
    const altered = Buffer.from(backup, 'base64')
    altered.writeUInt8(altered.readUInt8(200) ^ 1, 200)
    expectFault(await vault.admin.post(restorePath('target'), { backup: base64(altered), force: true }), 400, 1515)
    expect(await vault.decrypt('target', lost)).toBe('AAAA')
    expect((await vault.admin.post(restorePath('target'), { backup, force: true })).status).toBe(200)
    await expectAllVersions(vault, 'target', ciphertexts)
    expectFault(await vault.admin.post(`/transparent/${vault.id}/decrypt/target`, { ciphertext: lost }), 400, 1507)
    expect((await writer.post(restorePath('by-writer'), { backup })).status).toBe(200)

    await vault.admin.must('PUT', vault.keyPath('target'), { allow_delete: false })
    expectFault(await vault.admin.post(restorePath('target'), { backup, force: true }), 409, 1512)
    await vault.admin.must('DELETE', vault.keyPath('by-writer'))
    const overDeleted = await vault.admin.post(restorePath('by-writer'), { backup })
    expectFault(overDeleted, 409, 1501)
    expect(overDeleted.json.ERRORS).toEqual([
      expect.stringMatching(/a deleted key by-writer: .*keys\/by-writer\/undelete/),
    ])
    expect((await vault.admin.post(restorePath('by-writer'), { backup, force: 'true' })).status).toBe(200)
  })

  it('of parallel restores under one name one takes effect', async () => {
    await makeKey(vault, 'popular')
    const backup = await backUp(vault, 'popular')
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => vault.admin.post(restorePath('crowded'), { backup })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 7 }, () => 409),
    ])
    expect((await readKey(vault.admin, vault.id, 'crowded')).VERSIONS).toHaveLength(3)
  })

  it('is impossible once allow_backup is off: 409 1514, and what it was made of is gone', async () => {
    const blobs = () =>
      appliance.store.query<{ kek: string | null; blob: string | null }>(
        "SELECT kv.backup_kek AS kek, kv.backup_blob AS blob FROM key_versions kv JOIN transparent_keys k ON k.id = kv.key_id WHERE k.name = 'private'",
        [],
      )
    const [ciphertext = ''] = await makeKey(vault, 'private')
    expect((await blobs()).every(({ kek, blob }) => kek?.startsWith('backup.v') && blob !== null)).toBe(true)
    await vault.admin.must('PUT', vault.keyPath('private'), { allow_backup: false })
    expect(await blobs()).toEqual(Array.from({ length: 3 }, () => ({ kek: null, blob: null })))
    expectFault(await vault.admin.get(backupPath('private')), 409, 1514)
    await vault.admin.must('POST', `${vault.keyPath('private')}/rotate`)
    expect(await blobs()).toEqual(Array.from({ length: 4 }, () => ({ kek: null, blob: null })))
    expect(await vault.decrypt('private', ciphertext)).toBe(base64('version 1'))
    await vault.admin.must('POST', vault.keyPath('never-backed-up'), { allow_backup: false })
    expectFault(await vault.admin.get(backupPath('never-backed-up')), 409, 1514)
  })

  it('needs Admin', async () => {
    await vault.admin.must('POST', vault.keyPath('guarded'))
    for (const permission of ['Read', 'Write'] as const)
      expectFault(await (await vault.member(permission)).get(backupPath('guarded')), 403, 1301)
    expectFault(await vault.admin.get(backupPath('missing')), 404, 1500)
  })
})

/** Accepts a backup, as the operator does by `strongroom vault accept-backup`. */
const accept = (on: TestAppliance, { id }: TestVault, backup: string) =>
  on.services.keyBackups.accept(Number(id), Buffer.from(backup, 'base64'), on.commit)

describe('a backup of another vault', () => {
  it('is restored by an Admin of both vaults, and by nobody else: 403 1519', async () => {
    await vault.admin.must('POST', vault.keyPath('wandering'))
    const backup = await backUp(vault, 'wandering')
    const user = await appliance.addUser()
    const other = await makeVault(appliance, 'Elsewhere', await appliance.login(user))
    const path = `/transparent/restore/${other.id}/wandering`
    for (const permission of [undefined, 'Read', 'Write'] as const) {
      if (permission !== undefined) await vault.share(String(user.id), permission)
      expectFault(await other.admin.post(path, { backup }), 403, 1519)
    }
    expectFault(await other.admin.get(`/transparent/${other.id}/keys/wandering`), 404, 1500)
    await vault.share(String(user.id), 'Admin')
    await other.admin.must('POST', path, { backup })
    expect(appliance.trail.join('')).toMatch(/"operation":"transparent.restore".*backup of vault [0-9a-f]{32} of app/)
  })

  it('is restored where the operator lets it in, as are backups of before, which name no vault', async () => {
    await vault.admin.must('POST', vault.keyPath('ancient'))
    const content = encodeContent({
      ...decodeContent(readKeyBackup(Buffer.from(await backUp(vault, 'ancient'), 'base64')).content),
      origin: undefined,
    })
    const { name, seal } = rawBackupSeal(appliance.token, content)
    const backup = base64(encodeRecord(['strongroom key backup 1', name, seal, content]))
    const restore = { backup }
    expectFault(await vault.admin.post(restorePath('ancient-again'), restore), 403, 1519)
    await accept(appliance, vault, backup)
    const other = await makeVault(appliance, 'Elsewhere', vault.admin)
    expectFault(await other.admin.post(`/transparent/restore/${other.id}/ancient`, restore), 403, 1519)
    await vault.admin.must('POST', restorePath('ancient-again'), restore)
    await appliance.sql('UPDATE accepted_backups SET accepted_at = accepted_at + 1')
    expectFault(await vault.admin.post(restorePath('ancient-third'), restore), 503, 1505)
    await accept(appliance, vault, backup)
    await vault.admin.must('POST', restorePath('ancient-third'), restore)
  })
})

describe('two appliances with tokens of their own', () => {
  const tokens: TestToken[] = []
  const appliances: TestAppliance[] = []

  const start = async () => {
    const token = makeOtherToken()
    tokens.push(token)
    const { tokenUri, pinFile, softhsmConf } = token
    const started = await TestAppliance.own({ hsm: { token: tokenUri, pinFile, softhsmConf } })
    appliances.push(started)
    return { token, appliance: started, vault: await makeVault(started) }
  }
  afterAll(async () => {
    for (const one of appliances) await one.close()
    for (const token of tokens) token.cleanup()
  })

  it('restore each other’s keys when they share backup keys, and not before; a third does not', async () => {
    const [here, there] = [await start(), await start()]
    const ciphertexts = await makeKey(here.vault, 'moving', { allow_export: true })
    const restore = (of: TestVault, backup: string, name = 'moving') =>
      of.admin.post(`/transparent/restore/${of.id}/${name}`, { backup })
    expectFault(await restore(there.vault, await backUp(here.vault, 'moving')), 400, 1515)

    for (const one of [here, there]) await one.appliance.stop()
    const { versions } = holdCeremony(here.token, there.token)
    for (const { appliance: one } of [here, there]) {
      await one.restart()
      await one.hsm.noteRoots(versions.map((version) => rootLabel('kek.backup', version)))
      // Has the token hosts look at the token again.
      await one.hsm.status()
    }

    const backup = await backUp(here.vault, 'moving')
    expectFault(await restore(there.vault, backup), 403, 1519)
    await accept(there.appliance, there.vault, backup)
    expect((await restore(there.vault, backup)).status).toBe(200)
    await expectAllVersions(there.vault, 'moving', ciphertexts)
    const back = await backUp(there.vault, 'moving')
    expectFault(await restore(here.vault, back, 'returned'), 403, 1519)
    await accept(here.appliance, here.vault, back)
    expect((await restore(here.vault, back, 'returned')).status).toBe(200)
    expect(await here.vault.decrypt('returned', ciphertexts[2] ?? '')).toBe(base64('version 3'))
    const refused = await restore(vault, backup)
    expectFault(refused, 400, 1515)
    expect(refused.json.ERRORS?.[0]).toContain('does not share its backup keys')
  }, 120_000)
})
