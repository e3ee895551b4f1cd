import { afterAll, describe, expect, it } from 'vitest'
import { membershipOf, sealedRowsOf, withoutSeals } from '../../support/earlier-people.ts'
import { strongroom } from '../../support/console-kit.ts'
import { TestAppliance } from '../../support/appliance.ts'
import { verdict } from '../../support/fault-kit.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'
import { makeVault } from '../../support/vault.ts'

/** What an earlier release left: people who log in and share a vault, one who was removed, and no seal on any row. */
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
      await appliance.store.transaction(withoutSeals)

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
      expect(stdout).toMatch(new RegExp(`^ {2}sealed {2}${count} of before$`, 'm'))
      const client = await appliance.login(user)
      expect(verdict(await client.get(`/vault/${vault.id}`))).toBe('done')
      const admin = await appliance.login(owner)
      await admin.must('PUT', `/vault/${vault.id}/member/${user.id}`, { status: 1 })
      expect(await membershipOf(appliance, vault.id, user.id)).toMatchObject({ permission: 1, generation: 2 })
      await admin.must('POST', `/vault/${vault.id}/member/${removed.id}`, { status: 1 })
      expect(await membershipOf(appliance, vault.id, removed.id)).toMatchObject({ permission: 1, generation: 2 })

      await appliance.stop()
      await appliance.store.transaction((tx) => tx.query(`UPDATE users SET seal = '' WHERE id = ${user.id}`))
      expect(await strongroom(appliance.configFile, ['init'])).toMatchObject({
        status: 3,
        stderr: expect.stringMatching(new RegExp(`user ${user.id}: The rows of before were taken over already`)),
      })
    } finally {
      await appliance.close()
    }
  })
}

describe('a database of an earlier release, on SQLite,', () => isTakenOverOnce(() => TestAppliance.own()))

describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  const servers: { cleanup(): void }[] = []
  afterAll(() => servers.forEach((server) => server.cleanup()))
  isTakenOverOnce(() => {
    const server = startPostgres()
    servers.push(server)
    return TestAppliance.own({ store: { postgresUrlFile: server.urlFile } })
  })
})
