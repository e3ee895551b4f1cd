import { afterAll, describe, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { makeVault } from '../../support/vault.ts'
import { curl } from '../../support/wire.ts'
import { keyCalls, readKey, servicesLater, versionsInStore, type KeyDescription } from './key-kit.ts'

const windowMs = 3_600_000
const appliance = applianceForTests(() => TestAppliance.own({ transparent: { recoveryWindowMs: windowMs } }))
const vault = vaultForTests(appliance)

afterAll(() => expectUnharmed(appliance))

const { keyPath, call, create, rotate, update, encrypt, item } = keyCalls(() => vault)
const decrypt = (name: string, ciphertext: string) =>
  call('POST', `/transparent/${vault.id}/decrypt/${name}`, { ciphertext })

describe('the keys of a vault', () => {
  it('are listed by LIST over HTTP/2, and by GET for HTTP/1.1, in the order of their names', async () => {
    const own = await makeVault(appliance, 'Listed')
    for (const name of ['b', 'a', 'C', 'a.1', '_x']) await own.admin.must('POST', `/transparent/${own.id}/keys/${name}`)
    const { KEYS } = await own.admin.must('GET', `/transparent/${own.id}/keys`)
    const printed = await curl(
      appliance,
      `/transparent/${own.id}/keys`,
      '--http2',
      '-X',
      'LIST',
      '-H',
      `X-Http-Token: ${own.admin.token}`,
    )
    expect(printed).toMatch(/^HTTP\/2 200/)
    expect((JSON.parse(printed.slice(printed.indexOf('\r\n\r\n'))) as { KEYS: unknown })['KEYS']).toEqual(KEYS)
    expect((KEYS as { name: string }[]).map(({ name }) => name)).toEqual(['C', '_x', 'a', 'a.1', 'b'])
    for (const one of KEYS as Record<string, string>[])
      expect(one).toEqual((await readKey(own.admin, own.id, one['name'] ?? '')).KEYS[0])
    const [none] = [await makeVault(appliance, 'Empty')]
    expect((await none.admin.must('GET', `/transparent/${none.id}/keys`))['KEYS']).toEqual([])
  })

  it('come in pages of 1,000, each after the last name of the one before', async () => {
    const own = await makeVault(appliance, 'Many')
    const names = Array.from({ length: 1_003 }, (_, n) => `k${String(n).padStart(4, '0')}`)
    // Not all at once: on a slow disk the last ones would wait longer for the database than the appliance allows.
    for (let at = 0; at < names.length; at += 50)
      await Promise.all(
        names.slice(at, at + 50).map((name) => own.admin.must('POST', `/transparent/${own.id}/keys/${name}`)),
      )
    const page = async (after: string) =>
      ((await own.admin.must('GET', `/transparent/${own.id}/keys?after=${after}`))['KEYS'] as { name: string }[]).map(
        ({ name }) => name,
      )
    const first = await page('')
    expect(first).toEqual(names.slice(0, 1_000))
    expect(await page(first.at(-1) ?? '')).toEqual(names.slice(1_000))
    expect(await page('k1002')).toEqual([])
    expectFault(await own.admin.get(`/transparent/${own.id}/keys?after=${'x'.repeat(129)}`), 400, 1804)
  })
})

describe('details of keys', () => {
  it('say how old the latest version is, how often it may still encrypt, and what the vault asks', async () => {
    const own = await makeVault(appliance, 'Detailed')
    const path = `/transparent/${own.id}/keys`
    await own.admin.must('POST', `${path}/cipher`)
    await own.admin.must('POST', `${path}/cipher/rotate`)
    await own.admin.must('POST', `${path}/pair`, {
      type: 'ecdsa-p256',
      allow_export: true,
      allow_plaintext_export: true,
    })
    await own.admin.must('PUT', `/transparent/${own.id}/settings`, { signing_permission: 'Admin', strict: true })
    const rules = { create_on_encrypt: false, signing_permission: 'Admin', strict: true, recovery_window: '3600' }
    const listed = await own.admin.must('GET', `${path}?details=true`)
    expect(listed.CALLINFO).toMatchObject(rules)
    const read = (await own.admin.must('GET', `${path}/cipher?details=true`)) as unknown as KeyDescription
    expect(read).toMatchObject({ CALLINFO: rules })
    const latest = read.VERSIONS.at(-1) ?? {}
    const lease = String(appliance.config.transparent.invocationLease)
    expect(latest).toMatchObject({ key_version: '2', encryptions: lease, max_encryptions: '4294967296' })
    const [cipher, pair] = listed['KEYS'] as Record<string, string>[]
    expect(cipher).toMatchObject({
      allow_plaintext_export: 'false',
      latest_created: latest['created'],
      encryptions: lease,
      max_encryptions: '4294967296',
    })
    expect(pair).toMatchObject({ allow_plaintext_export: 'true', latest_created: expect.any(String) as string })
    for (const name of ['encryptions', 'max_encryptions', 'deleted', 'destroyed']) expect(pair).not.toHaveProperty(name)
  })

  it('are refused where the count was edited, and then the list without them is not', async () => {
    const own = await makeVault(appliance, 'Edited count')
    const path = `/transparent/${own.id}/keys`
    const { CALLINFO } = await own.admin.must('POST', `${path}/edited`)
    const setTo = (change: string) =>
      appliance.sql(
        `UPDATE key_versions SET invocations = invocations ${change} WHERE key_id = ${String(CALLINFO['objectid'])}`,
      )
    await setTo('- 1')
    expectFault(await own.admin.get(`${path}?details=true`), 503, 1505)
    await own.admin.must('GET', path)
    await setTo('+ 1')
    await own.admin.must('GET', `${path}?details=true`)
  })
})

describe('PUT /transparent/:vaultid/keys/:name', () => {
  it('changes info and flags, and answers with the key', async () => {
    await create('changing', { allow_export: true })
    const { json } = await update('changing', { info: 'né', allow_delete: false, auto_rotate_period: 86_400 })
    expect(json['KEYS']).toEqual([
      expect.objectContaining({
        info: 'né',
        allow_delete: 'false',
        auto_rotate_period: '86400',
        allow_export: 'true',
        allow_backup: 'true',
      }),
    ])
    expect(await item('changing')).toEqual((json['KEYS'] as unknown[])[0])
    await vault.admin.must('PUT', keyPath('changing'), { allow_delete: 'true', auto_rotate_period: '0' })
    expect(await item('changing')).toMatchObject({ info: 'né', allow_delete: 'true', auto_rotate_period: '0' })
  })

  it('turns export and backup off, never on: 409 1510', async () => {
    for (const flag of ['allow_export', 'allow_backup']) {
      expect((await update('changing', { [flag]: true })).status).toBe(200)
      expect((await update('changing', { [flag]: false })).status).toBe(200)
      expect((await update('changing', { [flag]: false })).status).toBe(200)
      expectFault(await update('changing', { [flag]: true, info: 'unchanged' }), 409, 1510)
    }
    expect(await item('changing')).toMatchObject({ info: 'né', allow_export: 'false', allow_backup: 'false' })
  })

  it('bounds the versions that encrypt and decrypt', async () => {
    await create('bounded')
    const ciphertexts = [String((await encrypt('bounded')).json.CALLINFO['ciphertext'])]
    for (let turn = 0; turn < 3; turn++) {
      await rotate('bounded')
      ciphertexts.push(String((await encrypt('bounded')).json.CALLINFO['ciphertext']))
    }
    for (const member of ['min_encryption_version', 'min_decryption_version']) {
      for (const bad of [5, 999_999_999]) expectFault(await update('bounded', { [member]: bad }), 400, 1503)
      for (const bad of [0, -1, 'latest', null, 1.5]) expectFault(await update('bounded', { [member]: bad }), 400, 1804)
    }
    const usable = async () => ({
      encrypt: (await Promise.all([1, 2, 3, 4].map((key_version) => encrypt('bounded', { key_version })))).map(
        ({ status }) => status,
      ),
      decrypt: (await Promise.all(ciphertexts.map((ciphertext) => decrypt('bounded', ciphertext)))).map(
        ({ status }) => status,
      ),
    })
    await update('bounded', { min_encryption_version: 3 })
    expect(await usable()).toEqual({ encrypt: [400, 400, 201, 201], decrypt: [200, 200, 200, 200] })
    await update('bounded', { min_decryption_version: 2 })
    expect(await usable()).toEqual({ encrypt: [400, 400, 201, 201], decrypt: [400, 200, 200, 200] })
    await update('bounded', { min_decryption_version: 4 })
    // Nothing is encrypted that could not be decrypted afterwards.
    expect(await usable()).toEqual({ encrypt: [400, 400, 400, 201], decrypt: [400, 400, 400, 200] })
    await update('bounded', { min_decryption_version: 1, min_encryption_version: 1 })
    expect(await usable()).toEqual({ encrypt: [201, 201, 201, 201], decrypt: [200, 200, 200, 200] })
  })

  it('refuses what it does not know how to mean: 400 1804', async () => {
    for (const body of [
      { info: 7 },
      { info: 'x'.repeat(4097) },
      { allow_delete: 'no' },
      { auto_rotate_period: 3_599 },
      { auto_rotate_period: 315_360_001 },
      { auto_rotate_period: -1 },
    ])
      expectFault(await update('changing', body), 400, 1804)
    expectFault(await update('missing', { info: 'x' }), 404, 1500)
  })

  it('of parallel calls loses none', async () => {
    await create('contended')
    await Promise.all([
      update('contended', { info: 'kept' }),
      update('contended', { allow_delete: false }),
      update('contended', { auto_rotate_period: 7_200 }),
      rotate('contended'),
    ])
    expect(await item('contended')).toMatchObject({
      info: 'kept',
      allow_delete: 'false',
      auto_rotate_period: '7200',
      key_version: '2',
    })
  })
})

describe('one version', () => {
  it('that is disabled serves nothing, until it is enabled again', async () => {
    await create('switched')
    const first = String((await encrypt('switched')).json.CALLINFO['ciphertext'])
    await rotate('switched')
    const second = String((await encrypt('switched')).json.CALLINFO['ciphertext'])
    const put = (version: number | string, enabled: unknown) =>
      call('PUT', `${keyPath('switched')}/versions/${version}`, { enabled })
    expect((await put(1, false)).json.CALLINFO).toMatchObject({ name: 'switched', key_version: '1', enabled: false })
    expect((await readKey(vault.admin, vault.id, 'switched')).VERSIONS.map(({ enabled }) => enabled)).toEqual([
      'false',
      'true',
    ])
    expectFault(await decrypt('switched', first), 409, 1509)
    expectFault(await encrypt('switched', { key_version: 1 }), 409, 1509)
    expect((await decrypt('switched', second)).status).toBe(200)
    await put('2', 'false')
    expectFault(await encrypt('switched'), 409, 1509)
    expectFault(await call('POST', `/transparent/${vault.id}/datakey/wrapped/switched`, {}), 409, 1509)
    for (const version of [1, 2]) await put(version, true)
    expect([(await decrypt('switched', first)).status, (await encrypt('switched')).status]).toEqual([200, 201])
    expectFault(await put(3, false), 400, 1503)
    for (const bad of ['0', '01', 'x', '-1']) expectFault(await put(bad, false), 400, 1804)
    for (const bad of [undefined, null, 'off', 0]) expectFault(await put(1, bad), 400, 1804)
  })
})

describe('POST /transparent/:vaultid/keys/:name/trim', () => {
  it('destroys old versions for good, once the minimum versions are above them', async () => {
    await create('trimmed')
    const old = String((await encrypt('trimmed')).json.CALLINFO['ciphertext'])
    await rotate('trimmed')
    await rotate('trimmed')
    const trim = (min_available_version: unknown) =>
      call('POST', `${keyPath('trimmed')}/trim`, { min_available_version })
    expectFault(await trim(2), 400, 1503)
    await update('trimmed', { min_decryption_version: 3 })
    expectFault(await trim(3), 400, 1503)
    await update('trimmed', { min_encryption_version: 2 })
    expectFault(await trim(3), 400, 1503)
    expect(await versionsInStore(appliance, 'trimmed')).toEqual([1, 2, 3])
    const { json } = await trim(2)
    expect(json.CALLINFO).toMatchObject({ name: 'trimmed', oldest_version: '2' })
    expect(await versionsInStore(appliance, 'trimmed')).toEqual([2, 3])
    expect(await item('trimmed')).toMatchObject({ oldest_version: '2', key_version: '3' })
    expectFault(await update('trimmed', { min_decryption_version: 1 }), 400, 1503)
    expect((await update('trimmed', { min_decryption_version: 2 })).status).toBe(200)
    expectFault(await decrypt('trimmed', old), 400, 1503)
    expectFault(await encrypt('trimmed', { key_version: 1 }), 400, 1503)
    expectFault(await call('PUT', `${keyPath('trimmed')}/versions/1`, { enabled: true }), 400, 1503)
    expect((await trim('1')).json.CALLINFO['oldest_version']).toBe('2')
    expect((await encrypt('trimmed')).json.CALLINFO['key_version']).toBe('3')
    for (const bad of [0, 'all', null, undefined]) expectFault(await trim(bad), 400, 1804)
  })
})

describe('DELETE /transparent/:vaultid/keys/:name', () => {
  it('ends every use at once, until an Admin takes the key back', async () => {
    await create('gone', { allow_export: true })
    const ciphertext = String((await encrypt('gone')).json.CALLINFO['ciphertext'])
    const { objectid } = await item('gone')
    expect((await call('DELETE', keyPath('gone'))).json.CALLINFO).toMatchObject({ name: 'gone', objectid })
    const at = `/transparent/${vault.id}`
    const uses: readonly (readonly [string, string, object?])[] = [
      ['GET', keyPath('gone')],
      ['PUT', keyPath('gone'), { info: 'x' }],
      ['DELETE', keyPath('gone')],
      ['POST', `${keyPath('gone')}/rotate`],
      ['POST', `${keyPath('gone')}/trim`, { min_available_version: 1 }],
      ['PUT', `${keyPath('gone')}/versions/1`, { enabled: true }],
      ['POST', `${at}/encrypt/gone`, { plaintext: 'AAAA' }],
      ['POST', `${at}/encrypt/gone`, { batch_input: [{ plaintext: 'AAAA' }] }],
      ['POST', `${at}/decrypt/gone`, { ciphertext }],
      ['POST', `/transparent/rewrap/${vault.id}/gone`, { ciphertext }],
      ['POST', `${at}/datakey/wrapped/gone`, {}],
      ['POST', `${at}/sign/gone`, { input: 'AAAA' }],
      ['POST', `${at}/verify/gone`, { input: 'AAAA', signature: 'service:v1:AAAA' }],
      ['POST', `${at}/hmac/gone`, { input: 'AAAA' }],
      ['GET', `/transparent/backup/${vault.id}/gone`],
      ['GET', `/transparent/export/${vault.id}/gone`],
      ['GET', `/transparent/export/${vault.id}/gone/1`],
    ]
    for (const [method, path, body] of uses) expectFault(await call(method, path, body), 404, 1500)
    expectFault(await call('POST', keyPath('gone'), {}), 409, 1501)
    const { KEYS } = await vault.admin.must('GET', `${at}/keys`)
    expect((KEYS as { name: string }[]).map(({ name }) => name)).not.toContain('gone')

    expectFault(await (await vault.member('Write')).post(`${keyPath('gone')}/undelete`), 403, 1301)
    expect((await call('POST', `${keyPath('gone')}/undelete`)).json.CALLINFO).toMatchObject({ name: 'gone', objectid })
    expect((await decrypt('gone', ciphertext)).json.CALLINFO['plaintext']).toBe('AAAA')
    for (const name of ['gone', 'never']) expectFault(await call('POST', `${keyPath(name)}/undelete`), 404, 1500)
    expectFault(await call('DELETE', keyPath('never')), 404, 1500)
  })

  it('lists the deleted keys for an Admin, with the moment until which they can be taken back', async () => {
    const own = await makeVault(appliance, 'With deleted keys')
    const path = `/transparent/${own.id}/keys`
    for (const name of ['left', 'away']) await own.admin.must('POST', `${path}/${name}`)
    await own.admin.must('DELETE', `${path}/away`)
    const { KEYS } = await own.admin.must('GET', `${path}?deleted=true`)
    const [{ deleted, destroyed, ...item } = {}, ...more] = KEYS as Record<string, string>[]
    expect(more).toEqual([])
    expect(item).toMatchObject({ name: 'away', type: 'aes128-gcm96' })
    expect(Date.parse(destroyed ?? '') - Date.parse(deleted ?? '')).toBe(windowMs)
    expectFault(await (await own.member('Write')).get(`${path}?deleted=true`), 403, 1301)
    await own.admin.must('POST', `${path}/away/undelete`)
    expect((await own.admin.must('GET', `${path}?deleted=true`))['KEYS']).toEqual([])
  })

  it('refuses a key that was made to stay: 409 1512', async () => {
    await create('staying', { allow_delete: false })
    expectFault(await call('DELETE', keyPath('staying')), 409, 1512)
    expect((await encrypt('staying')).status).toBe(201)
  })

  it('destroys the key when the recovery window has passed, not before', async () => {
    await create('doomed')
    const ciphertext = String((await encrypt('doomed')).json.CALLINFO['ciphertext'])
    await call('DELETE', keyPath('doomed'))
    const destroyed = async (byMs: number) =>
      (await servicesLater(appliance, byMs).keyDeletion.destroyExpired()).map(({ name }) => name)
    expect(await destroyed(windowMs - 60_000)).not.toContain('doomed')
    expect(await versionsInStore(appliance, 'doomed')).toEqual([1])
    expect(await destroyed(windowMs + 60_000)).toContain('doomed')
    expect(await versionsInStore(appliance, 'doomed')).toEqual([])
    expectFault(await call('POST', `${keyPath('doomed')}/undelete`), 404, 1500)
    expect((await encrypt('doomed')).status).toBe(201)
    expectFault(await decrypt('doomed', ciphertext), 400, 1507)
  })
})
