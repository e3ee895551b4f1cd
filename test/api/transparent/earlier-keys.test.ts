import { afterAll, beforeAll, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { keysOfRelease020 } from '../../support/earlier-keys.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'

// Keys of release 0.2.0 as the migrations leave them: records that name rows, and one wrapping.

let appliance: TestAppliance
let vault: TestVault
let ciphertext: string

beforeAll(async () => {
  appliance = await TestAppliance.own()
  vault = await makeVault(appliance)
  ciphertext = await vault.encrypt('ledger', 'AAAA')
  await vault.admin.must('POST', keyPath('ledger', '/rotate'))
  await vault.admin.must('POST', keyPath('kept'), { residency: 'token', allow_backup: false })
  await keysOfRelease020(appliance, Number(vault.id))
})
afterAll(() => appliance.close())

const keyPath = (name: string, more = '') => `/transparent/${vault.id}/keys/${name}${more}`

it('are used, changed, rotated and backed up as before', async () => {
  expect(await vault.decrypt('ledger', ciphertext)).toBe('AAAA')
  expect(await vault.decrypt('kept', await vault.encrypt('kept', 'BBBB'))).toBe('BBBB')
  await vault.admin.must('POST', keyPath('ledger', '/rotate'))
  const third = await vault.encrypt('ledger', 'CCCC')
  expect(await vault.decrypt('ledger', third)).toBe('CCCC')
  await vault.admin.must('PUT', keyPath('ledger'), { info: 'still here' })
  await vault.admin.must('PUT', keyPath('ledger', '/versions/1'), { enabled: false })
  const refused = await vault.admin.call('POST', `/transparent/${vault.id}/decrypt/ledger`, { body: { ciphertext } })
  expect(refused.json.CALLINFO.status).toBe('FAIL')
  const { KEYS } = await vault.admin.must('GET', `/transparent/backup/${vault.id}/ledger`)
  const { backup } = KEYS as { backup: string }
  await vault.admin.must('POST', `/transparent/restore/${vault.id}/copy`, { backup })
  expect(await vault.decrypt('copy', third)).toBe('CCCC')
})

it('lie beside new keys of their vault', async () => {
  expect(await vault.decrypt('new', await vault.encrypt('new', 'DDDD'))).toBe('DDDD')
})
