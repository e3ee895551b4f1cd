import { existsSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { eventually } from '../../support/fault-kit.ts'
import { createObject, readObject, server } from '../../support/object-kit.ts'
import { makeVault } from '../../support/vault.ts'

const faketime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'

describe.runIf(existsSync(faketime))('a clock that is ahead by more than the recovery windows, and set right', () => {
  it('has destroyed nothing that could be taken back', async () => {
    const appliance = await TestAppliance.own()
    onTestFinished(() => appliance.close())
    const vault = await makeVault(appliance)
    const object = await createObject(vault.admin, vault.id)
    const ciphertext = await vault.encrypt('deleted', 'AAAA')
    await vault.admin.must('DELETE', `/object/${object}`)
    await vault.admin.must('DELETE', `/transparent/${vault.id}/keys/deleted`)
    const user = await appliance.addUser()
    await vault.share(String(user.id), 'Admin')
    await appliance.restart('SIGTERM', {
      LD_PRELOAD: faketime,
      FAKETIME: '+40d',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    })
    // The last chore but one ends the sessions: those before it are done.
    await eventually(() => appliance.journal.includes('ending sessions whose time has passed'))
    expect(appliance.journal).toContain('destroyed for a day')
    await appliance.restart()
    const admin = await appliance.login(user)
    await admin.must('POST', `/object/${object}/undelete`)
    expect((await readObject(admin, object, '?decrypt=true')).crypted).toMatchObject({ password: server.password })
    await admin.must('POST', `/transparent/${vault.id}/keys/deleted/undelete`)
    const { CALLINFO } = await admin.must('POST', `/transparent/${vault.id}/decrypt/deleted`, { ciphertext })
    expect(CALLINFO['plaintext']).toBe('AAAA')
  })
})
