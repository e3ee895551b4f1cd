import { afterAll, describe, expect, it } from 'vitest'
import { certificateRecord, UserCertificateTable } from '../../../src/features/certificates/records.ts'
import { deviceRecord, devicesOf, OtpDeviceTable } from '../../../src/features/otp/records.ts'
import { UserTable } from '../../../src/features/users/records.ts'
import { withFactor, withoutFactor } from '../../../src/hsm/user-factors.ts'
import { membershipOf, sealedRowsOf, withoutKeeper, withoutSeals } from '../../support/earlier-people.ts'
import { asOfRelease020 } from '../../support/earlier-token.ts'
import { strongroom } from '../../support/console-kit.ts'
import { TestAppliance } from '../../support/appliance.ts'
import { verdict } from '../../support/fault-kit.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'
import { rawSeal } from '../../support/raw-seal.ts'
import { makeVault } from '../../support/vault.ts'

const factorsOf = async ({ store }: TestAppliance, id: number) =>
  (await store.read.findOneByOrFail(UserTable, { id })).factors

/**
 * A smartcard of one user, and an authenticator app of another that was altered in the database. Resolves to the
 * credentials that both need afterwards.
 */
async function givenFactors(appliance: TestAppliance, { carded, robbed }: { carded: number; robbed: number }) {
  const { store, token } = appliance
  const card = { userId: carded, fingerprint: 'ab'.repeat(32), der: Buffer.from('the certificate') }
  const record = certificateRecord(card)
  const [app] = await devicesOf(store.read, robbed, 'totp')
  if (app === undefined) throw new Error('no authenticator app')
  await store.transaction(async (tx) => {
    await tx.insert(UserCertificateTable, { ...card, seal: rawSeal(token, record), createdAt: 0 })
    await tx.update(OtpDeviceTable, { id: app.id }, { digits: 8 })
  })
  return new Map([
    [carded, withFactor(await factorsOf(appliance, carded), record)],
    [robbed, withoutFactor(await factorsOf(appliance, robbed), deviceRecord(app))],
  ])
}

/** The state of an earlier release: users who log in and share a vault, one removed user, and no seals. */
function isTakenOverOnce(start: () => Promise<TestAppliance>): void {
  it('is refused by the daemon and the console until init seals it, once', async () => {
    const appliance = await start()
    try {
      const owner = await appliance.addUser()
      const vault = await makeVault(appliance, 'Test', await appliance.login(owner))
      const [user, removed] = [await appliance.addUser(), await appliance.addUser()]
      await vault.share(String(user.id), 'Write')
      await vault.share(String(removed.id), 'Read')
      await vault.share(String(removed.id), undefined)
      await appliance.login(user)
      await appliance.stop()
      const given = await givenFactors(appliance, { carded: user.id, robbed: removed.id })
      await appliance.store.transaction(withoutSeals)
      withoutKeeper(appliance)

      const sentence = expect.stringMatching(/No user in the database bears a seal.*Run "strongroom init"/) as unknown
      await expect(appliance.restart()).rejects.toMatchObject({ message: sentence })
      expect(await strongroom(appliance.configFile, ['user', 'disable', user.username])).toMatchObject({
        status: 4,
        stderr: sentence,
      })

      const { stdout, stderr, status } = await strongroom(appliance.configFile, ['init'])
      expect({ status, stderr }).toMatchObject({ status: 0 })
      await appliance.restart()
      const count = await sealedRowsOf(appliance)
      expect(stdout).toMatch(new RegExp(`^ {2}sealed {2}${count} earlier$`, 'm'))
      for (const [id, factors] of given) expect([id, await factorsOf(appliance, id)]).toEqual([id, factors])
      const client = await appliance.login(user)
      expect(verdict(await client.get(`/vault/${vault.id}`))).toBe('done')
      const admin = await appliance.login(owner)
      await admin.must('PUT', `/vault/${vault.id}/member/${user.id}`, { status: 1 })
      expect(await membershipOf(appliance, vault.id, user.id)).toMatchObject({ permission: 1 })
      await admin.must('POST', `/vault/${vault.id}/member/${removed.id}`, { status: 1 })
      expect(await membershipOf(appliance, vault.id, removed.id)).toMatchObject({ permission: 1 })

      await appliance.stop()
      await appliance.sql(`UPDATE users SET seal = '' WHERE id = ${user.id}`)
      expect(await strongroom(appliance.configFile, ['init'])).toMatchObject({
        status: 3,
        stderr: expect.stringMatching(new RegExp(`user ${user.id}: The earlier rows were already taken over`)),
      })
    } finally {
      await appliance.close()
    }
  })
}

describe('a database of an earlier release, on SQLite,', () =>
  isTakenOverOnce(() => TestAppliance.own({}, { prepare: asOfRelease020 })))

describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  const servers: { cleanup(): void }[] = []
  afterAll(() => servers.forEach((server) => server.cleanup()))
  isTakenOverOnce(() => {
    const server = startPostgres()
    servers.push(server)
    return TestAppliance.own({ store: { postgresUrlFile: server.urlFile } }, { prepare: asOfRelease020 })
  })
})
