import { afterAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { KeyVersionTable } from '../../../src/features/transparent/records.ts'
import { invocationsRecord } from '../../../src/features/transparent/sealing.ts'
import { expectUnharmed } from '../../support/health.ts'
import { grantIn } from '../../support/grant-kit.ts'
import { rawSeal } from '../../support/raw-seal.ts'
import { storedKey } from '../../support/stored-keys.ts'
import { keyCalls, versionsInStore } from './key-kit.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)

afterAll(() => expectUnharmed(appliance))

const { create, rotate, update, encrypt } = keyCalls(() => vault)

const stored = (name: string) => storedKey(appliance, vault.id, name)

/** No seal here needs a caller, because no backups end. */
const byNone = { grant: () => Promise.reject(new Error('no grant')) }

describe('automatic rotation', () => {
  it('by age: the next use that names no version makes one', async () => {
    await create('aged', { auto_rotate_period: 3_600 })
    const cases = [
      ['aged', 'aes128-gcm96', 'encrypt/aged', { plaintext: 'AAAA' }],
      ['aged-data', 'aes128-gcm96', 'datakey/wrapped/aged-data', {}],
      ['aged-mac', 'hmac-sha256', 'hmac/aged-mac', { input: 'AAAA' }],
      ['aged-pair', 'ecdsa-p256', 'sign/aged-pair', { input: 'AAAA' }],
    ] as const
    for (const [name, type, path, body] of cases) {
      if (name !== 'aged') await create(name, { type, auto_rotate_period: 3_600 })
      const use = async (more: object = {}) =>
        (await vault.admin.must('POST', `/transparent/${vault.id}/${path}`, { ...body, ...more })).CALLINFO[
          'key_version'
        ]
      expect(await use(), name).toBe('1')
      // The interface accepts no less than an hour, the domain code a millisecond.
      await appliance.services.keyring.update(byNone, await stored(name), { autoRotatePeriodMs: 1 }, appliance.commit)
      expect(await use({ key_version: 1 }), name).toBe('1')
      expect(Number(await use()), name).toBeGreaterThan(1)
    }
  })

  it('by age: of parallel uses all succeed, and a reader sets it off as well', async () => {
    await create('rushed')
    await appliance.services.keyring.update(byNone, await stored('rushed'), { autoRotatePeriodMs: 1 }, appliance.commit)
    const reader = await vault.member('Read')
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => reader.post(`/transparent/${vault.id}/encrypt/rushed`, { plaintext: 'AAAA' })),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    for (const { json } of answers)
      expect(await vault.decrypt('rushed', String(json.CALLINFO['ciphertext']))).toBe('AAAA')
  })

  it('before the limit of GCM', async () => {
    await create('worn')
    const { key, latest } = await stored('worn')
    const invocations = Math.ceil(2 ** 32 * 0.9)
    const invocationsSeal = rawSeal(appliance.token, invocationsRecord(key, 1, invocations))
    await appliance.store.transaction((tx) =>
      tx.update(KeyVersionTable, { keyId: latest.keyId, version: 1 }, { invocations, invocationsSeal }),
    )
    expect((await encrypt('worn', { key_version: 1 })).json.CALLINFO['key_version']).toBe('1')
    expect((await encrypt('worn')).json.CALLINFO['key_version']).toBe('2')
    expect((await encrypt('worn')).json.CALLINFO['key_version']).toBe('2')
  })
})

describe('a rotation that was prepared while a flag was turned off', () => {
  it('is not made: its material would carry the flag', async () => {
    await create('racing', { allow_export: true })
    const before = await stored('racing')
    await update('racing', { allow_export: false })
    const by = { grant: () => grantIn(appliance, before.key.vaultId) }
    await expect(appliance.services.keyring.rotate(by, before, appliance.commit)).rejects.toMatchObject({
      code: 'store.conflict',
    })
    expect(await versionsInStore(appliance, 'racing')).toEqual([1])
    expect((await rotate('racing')).CALLINFO['key_version']).toBe('2')
  })
})
