import { execFileSync } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { strongroom } from '../../support/console-kit.ts'
import { verdict } from '../../support/fault-kit.ts'
import { makeVault } from '../../support/vault.ts'

it('an older database is refused where it was changed since, until the operator accepts it', async () => {
  const appliance = await TestAppliance.own()
  onTestFinished(() => appliance.close())
  const owner = await appliance.addUser()
  const vault = await makeVault(appliance, 'Test', await appliance.login(owner))
  const [member, user] = [await appliance.addUser(), await appliance.addUser()]
  await vault.share(String(member.id), 'Write')
  const session = await appliance.login(member)
  const ciphertext = await vault.encrypt('kept', 'a2VwdA==')
  const used = appliance.credentials(user)
  await appliance.client().must('POST', '/auth', used)
  const database = String(appliance.config.store.sqlite)
  execFileSync('sqlite3', [database, `.backup '${database}-backup'`])

  await vault.share(String(member.id), undefined)
  await vault.admin.must('PUT', `/transparent/${vault.id}/keys/kept`, { allow_backup: false })
  const lost = await makeVault(appliance, 'Lost', vault.admin)
  await lost.encrypt('k', 'AAAA')
  await appliance.stop()
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${database}${suffix}`, { force: true })
  copyFileSync(`${database}-backup`, database)
  await appliance.restart()

  const path = `/transparent/${vault.id}/keys/kept`
  expect(verdict(await vault.admin.post(`${path}/rotate`))).toBe('503 1911')
  expect(verdict(await session.get(`/vault/${vault.id}`))).toBe('503 1911')
  // A new vault has the number of one that the older database does not have.
  expect((await makeVault(appliance, 'New', vault.admin)).id).toBe(lost.id)
  expect(verdict(await vault.admin.post(`/transparent/${lost.id}/encrypt/k`, { plaintext: 'AAAA' }))).toBe('503 1911')
  expect(verdict(await (await appliance.login(member)).get(`/vault/${vault.id}`))).toBe('503 1911')

  const { status, stdout } = await strongroom(appliance.configFile, ['database', 'accept-restored'])
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: expect.stringMatching(
      /^The database is accepted as it is; [3-9] sessions ended, 1 version of keys closed for encryption\.\n$/,
    ) as unknown,
  })
  expect(verdict(await vault.admin.get('/vault'))).toBe('403 1200')
  // A used OTP stays used.
  expect(verdict(await appliance.client().post('/auth', used))).toBe('403 1201')
  const after = await appliance.login(member)
  expect(await after.must('POST', `/transparent/${vault.id}/decrypt/kept`, { ciphertext })).toMatchObject({
    CALLINFO: { plaintext: 'a2VwdA==' },
  })
  // The counts of encryptions were put back as well, so that existing versions do not encrypt any more. The next
  // encryption makes a new one.
  const named = { plaintext: 'a2VwdA==', key_version: 1 }
  const encrypt = `/transparent/${vault.id}/encrypt/kept`
  expect(verdict(await after.call('POST', encrypt, { body: named }))).toBe('409 1504')
  const next = await after.must('POST', encrypt, { plaintext: 'bmV4dA==' })
  expect(next.CALLINFO).toMatchObject({ ciphertext: expect.stringMatching(/^service:v2:/) as unknown })
  for (const [text, plaintext] of [
    [ciphertext, 'a2VwdA=='],
    [next.CALLINFO['ciphertext'], 'bmV4dA=='],
  ])
    expect(await after.must('POST', `/transparent/${vault.id}/decrypt/kept`, { ciphertext: text })).toMatchObject({
      CALLINFO: { plaintext },
    })
  const admin = await appliance.login(owner)
  await admin.must('POST', `/transparent/${lost.id}/encrypt/k`, { plaintext: 'AAAA' })
  await after.must('POST', `${path}/rotate`)
  expect((await after.must('POST', encrypt, { plaintext: 'bmV4dA==' })).CALLINFO['ciphertext']).toMatch(/^service:v3:/)
})
