import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { base64, keyCalls, servicesLater } from './key-kit.ts'

const windowMs = 3_600_000
const appliance = applianceForTests(() => TestAppliance.own({ transparent: { recoveryWindowMs: windowMs } }))
const vault = vaultForTests(appliance)

afterAll(() => expectUnharmed(appliance))

const { keyPath, call, create, rotate, update, item } = keyCalls(() => vault)

/** The number of resident keys in the token, by OpenSC. */
function residentObjects(): number {
  const { module, softhsmConf, pinFile } = appliance.token
  const args = [
    '--module',
    module,
    '--token-label',
    'strongroom',
    '--login',
    '--pin',
    readFileSync(pinFile, 'utf8'),
    '--list-objects',
  ]
  const printed = execFileSync('pkcs11-tool', args, {
    encoding: 'utf8',
    env: { ...process.env, SOFTHSM2_CONF: softhsmConf },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return printed.split('\n').filter((line) => /label:\s+strongroom\.resident/.test(line)).length
}

describe('residency: token', () => {
  it('makes objects of the token that serve, rotate, never leave, and end with the key', async () => {
    const before = residentObjects()
    await create('resident', { residency: 'token' })
    expect(residentObjects()).toBe(before + 1)
    expect(await item('resident')).toMatchObject({ residency: 'token', allow_backup: 'false', allow_export: 'false' })
    const text = base64('at home')
    const first = await vault.encrypt('resident', text)
    await rotate('resident')
    expect(residentObjects()).toBe(before + 2)
    const second = await vault.encrypt('resident', text)
    for (const ciphertext of [first, second]) expect(await vault.decrypt('resident', ciphertext)).toBe(text)
    expectFault(await call('GET', `/transparent/export/${vault.id}/resident`), 409, 1513)
    expectFault(await call('GET', `/transparent/backup/${vault.id}/resident`), 409, 1514)
    expectFault(await update('resident', { allow_backup: true }), 409, 1510)

    await appliance.restart()
    expect(await vault.decrypt('resident', first)).toBe(text)
    await update('resident', { min_decryption_version: 2, min_encryption_version: 2 })
    await vault.admin.must('POST', `${keyPath('resident')}/trim`, { min_available_version: 2 })
    expect(residentObjects()).toBe(before + 1)
    await call('DELETE', keyPath('resident'))
    expect(residentObjects()).toBe(before + 1)
    await servicesLater(appliance, windowMs + 60_000).keyDeletion.destroyExpired()
    expect(residentObjects()).toBe(before)
  })

  it('goes with neither export nor backup, and leaves no object when it is refused', async () => {
    const before = residentObjects()
    for (const flags of [
      { allow_export: true },
      { allow_backup: true },
      { allow_export: true, allow_plaintext_export: true },
    ])
      expectFault(await call('POST', keyPath('odd'), { residency: 'token', ...flags }), 400, 1511)
    expectFault(await call('POST', keyPath('odd'), { residency: 'cloud' }), 400, 1804)
    await create('taken')
    expectFault(await call('POST', keyPath('taken'), { residency: 'token' }), 409, 1501)
    expect(residentObjects()).toBe(before)
  })
})
