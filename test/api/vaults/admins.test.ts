import { expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { onBothDatabases } from '../../support/both-databases.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { makeVault } from '../../support/vault.ts'

/** Rounds of each race: enough for both orders of arrival. */
const rounds = 12

/** A vault keeps its last Admin, however many calls are made at once. */
function keepsAnAdmin(start: () => Promise<TestAppliance>): void {
  const appliance = applianceForTests(start)

  const adminsOf = async (vaultId: string): Promise<number> =>
    (
      await appliance.store.query('SELECT 1 FROM vault_members WHERE vault_id = $1 AND permission = 4', [
        Number(vaultId),
      ])
    ).length

  it('when two Admins remove or lower each other, or themselves, at once', async () => {
    const users = [await appliance.addUser(), await appliance.addUser()] as const
    const clients = [await appliance.login(users[0]), await appliance.login(users[1])] as const
    for (let round = 0; round < rounds; round++) {
      const [{ id }] = (await clients[0].must('POST', '/vault', { vaultname: 'Race' }))['VAULT'] as [{ id: string }]
      await clients[0].must('POST', `/vault/${id}/member/${users[1].id}`, { status: 4 })
      const target = (of: 0 | 1): string => `/vault/${id}/member/${users[round % 3 === 0 ? of : of === 0 ? 1 : 0].id}`
      const lowering = round % 2 === 0
      const act = (of: 0 | 1) =>
        clients[of].call(lowering ? 'PUT' : 'DELETE', target(of), lowering ? { body: { status: 1 } } : {})
      const statuses = (await Promise.all([act(0), act(1)])).map(({ status }) => status).toSorted((a, b) => a - b)
      expect(statuses[0]).toBe(200)
      expect([403, 404, 409]).toContain(statuses[1])
      expect(await adminsOf(id)).toBe(1)
    }
  })

  it('when many Admins all leave at once', async () => {
    const vault = await makeVault(appliance)
    const members = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const user = await appliance.addUser()
        await vault.share(String(user.id), 'Admin')
        return { user, client: await appliance.login(user) }
      }),
    )
    const answers = await Promise.all([
      ...members.map(({ user, client }) => client.call('DELETE', `/vault/${vault.id}/member/${user.id}`)),
      ...members.map(({ user }) => vault.admin.call('DELETE', `/vault/${vault.id}/member/${user.id}`)),
    ])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 404]))
    expect(await adminsOf(vault.id)).toBe(1)
  })
}

onBothDatabases('a vault', keepsAnAdmin, {}, () => TestAppliance.shared())
