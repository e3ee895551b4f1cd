import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { strongroom } from '../../support/console-kit.ts'
import { totpCode } from '../../support/hardware-token.ts'
import { eventually, vaultIdOf, verdict } from '../../support/fault-kit.ts'
import { makePair, ownClaims, seconds, signed } from '../../support/assertion-kit.ts'
import { createObject, readObject, server } from '../../support/object-kit.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'
import { addCredential, addService, asked, byAssertion } from '../../support/service-kit.ts'
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

  it('leaves no version of a key that is not rotated for as long', async () => {
    const appliance = await TestAppliance.own()
    onTestFinished(() => appliance.close())
    const user = await appliance.addUser()
    const { id, admin } = await makeVault(appliance, 'Rotated', await appliance.login(user))
    await admin.must('POST', `/transparent/${id}/keys/aged`, { auto_rotate_period: 3_600 })
    const versionNow = async () => {
      const client = await appliance.login(user)
      const { CALLINFO } = await client.must('POST', `/transparent/${id}/encrypt/aged`, { plaintext: 'AAAA' })
      return CALLINFO['key_version']
    }
    expect(await versionNow()).toBe('1')
    await appliance.restart('SIGTERM', {
      LD_PRELOAD: faketime,
      FAKETIME: '+400d',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    })
    expect(await versionNow()).toBe('2')
    await appliance.restart()
    expect(await versionNow()).toBe('3')
    expect(await versionNow()).toBe('3')
  })
})

/** For a daemon whose clock is as far ahead as the file says, and may be set while it runs. */
function settable(appliance: TestAppliance) {
  const offset = join(appliance.directory, 'clock')
  const set = (ahead: string): void => writeFileSync(offset, ahead)
  set('+0')
  const environment = {
    LD_PRELOAD: faketime,
    FAKETIME_TIMESTAMP_FILE: offset,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  return { set, environment }
}

describe.runIf(existsSync(faketime))('a clock that is set ahead for a moment', () => {
  it('shuts the user of an authenticator out no longer than until the operator does what doctor says', async () => {
    const appliance = await TestAppliance.own()
    onTestFinished(() => appliance.close())
    const clock = settable(appliance)
    await appliance.restart('SIGTERM', clock.environment)
    const user = await appliance.addUser()
    const login = async (secret: string, at = seconds(Date.now())) => {
      const shown = { ...appliance.credentials(user), otp: totpCode(secret, at), logintype: 'totp' }
      return verdict(await appliance.client().post('/auth', shown))
    }
    const run = (...args: string[]) => strongroom(appliance.configFile, ['--json', ...args])
    clock.set('+3650d')
    expect(await login(user.totpSecret, seconds(Date.now()) + 3650 * 86_400)).toBe('done')
    clock.set('+0')
    expect(await login(user.totpSecret)).toBe('403 1201')
    expect((await run('doctor', '--only', 'clock')).stdout).toContain('strongroom otp enroll, otp remove')
    const devices: { id: number; kind: string }[] = JSON.parse((await run('otp', 'list', user.username)).stdout)
    const used = devices.find(({ kind }) => kind === 'totp')?.id
    const { uri } = JSON.parse((await run('otp', 'enroll', user.username, '--totp')).stdout)
    await run('otp', 'remove', user.username, String(used))
    expect(await login(new URL(uri).searchParams.get('secret') ?? '')).toBe('done')
    expect((await run('doctor', '--only', 'clock')).stdout).not.toContain('behind the last thing')
  })

  it('makes no used assertion good again', async () => {
    const appliance = await TestAppliance.own()
    onTestFinished(() => appliance.close())
    const service = await addService(appliance, await appliance.addUser())
    const pair = await makePair('EdDSA')
    await addCredential(appliance, service, { ...asked, kind: 'jwt', publicKey: pair.jwk, kid: null })
    const clock = settable(appliance)
    await appliance.restart('SIGTERM', clock.environment)
    const assertionAt = (at: number) =>
      signed(pair, { ...ownClaims(service.name), iat: seconds(at), exp: seconds(at) + 240 })
    const show = async (assertion: string) => verdict(await appliance.client().post('/auth', byAssertion(assertion)))
    const used = await assertionAt(Date.now())
    expect(await show(used)).toBe('done')
    clock.set('+2h')
    expect(await show(await assertionAt(Date.now() + 7_200_000))).toBe('done')
    clock.set('+0')
    expect(await show(used)).toBe('403 1201')
    expect(await show(await assertionAt(Date.now()))).toBe('done')
  })
})

describe.runIf(hasPostgres && existsSync(faketime))(
  'a clock that is set ahead while a change is being committed',
  () => {
    it('leaves what is acknowledged good', async () => {
      const database = startPostgres()
      onTestFinished(() => database.cleanup())
      const appliance = await TestAppliance.own({ store: { postgresUrlFile: database.urlFile } })
      onTestFinished(() => appliance.close())
      const user = await appliance.addUser()
      const clock = settable(appliance)
      await appliance.restart('SIGTERM', clock.environment)
      const before = await appliance.login(user)
      const operator = new Client({ connectionString: database.url })
      await operator.connect()
      onTestFinished(() => operator.end())

      // A commit waits for a standby that is not there.
      await operator.query("ALTER SYSTEM SET synchronous_standby_names = 'gone'")
      await operator.query('SELECT pg_reload_conf(), pg_sleep(1)')
      const making = before.post('/vault', { vaultname: 'Late' })
      const ofMember = `SELECT 1 FROM pg_stat_activity JOIN pg_locks USING (pid)
      WHERE wait_event = 'SyncRep' AND relation = 'vault_members'::regclass`
      await eventually(async () => (await operator.query(ofMember)).rows.length > 0)
      clock.set('+2h')
      await operator.query('ALTER SYSTEM RESET synchronous_standby_names')
      await operator.query('SELECT pg_reload_conf()')
      const made = await making
      expect(verdict(made)).toBe('done')
      await createObject(await appliance.login(user), vaultIdOf(made))
    })
  },
)
