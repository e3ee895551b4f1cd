import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { twoWorkers, type TestAppliance, type TestUser } from '../../support/appliance.ts'
import { onBothDatabases } from '../../support/both-databases.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { verdict } from '../../support/fault-kit.ts'

/** Rules that must hold across workers, on either kind of store. */
function decidesRaces(start: () => Promise<TestAppliance>): void {
  const appliance = applianceForTests(start)

  const newAdministrator = async (): Promise<{ user: TestUser; client: TestClient }> => {
    const user = await appliance.addUser(['admin', 'active'])
    return { user, client: await appliance.login(user) }
  }
  const activeAdministrators = async () =>
    (await appliance.services.users.list()).filter(({ capabilities }) => (capabilities & 132) === 132)

  it('of two administrators who disable each other exactly one succeeds, every time', async () => {
    let [one, two] = [await newAdministrator(), await newAdministrator()]
    for (let round = 0; round < 8; round++) {
      const answers = await Promise.all([
        one.client.call('DELETE', `/user/${two.user.id}`),
        two.client.call('PUT', `/user/${one.user.id}`, { body: { status: [0, 7] } }),
      ])
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        200,
        expect.toSatisfy((status) => status >= 400),
      ])
      expect(await activeAdministrators()).toHaveLength(1)
      const left = answers[0].status === 200 ? one : two
      ;[one, two] = [left, await newAdministrator()]
    }
  })

  it('of two calls that take a name at the same moment one succeeds: 201 and 409', async () => {
    const { client } = await newAdministrator()
    for (let round = 0; round < 5; round++) {
      const body = {
        username: `wanted-${round}`,
        fullname: 'Wanted by two',
        email: 'wanted@example.test',
        status: 131,
        passphrase: 'seven wooden lanterns on the quay',
      }
      const answers = await Promise.all([client.post('/user', body), client.post('/user', body)])
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
      for (const answer of answers.filter(({ status }) => status === 409)) expectFault(answer, 409, 1701)
    }
    const [one, two] = [await appliance.addUser(), await appliance.addUser()]
    const renames = await Promise.all(
      [one, two].map(({ id }) => client.call('PUT', `/user/${id}`, { body: { username: 'wanted-too' } })),
    )
    expect(renames.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  })

  it('changes of different members at the same moment are both kept', async () => {
    const { client } = await newAdministrator()
    const { id } = await appliance.addUser()
    const email = 'both@example.test'
    await Promise.all([
      client.must('PUT', `/user/${id}`, { fullname: 'Kept, both' }),
      client.must('PUT', `/user/${id}`, { email }),
      client.must('PUT', `/user/${id}`, { status: 129 }),
    ])
    expect((await client.must('GET', `/user/${id}`)).CALLINFO['users']).toMatchObject([
      { fullname: 'Kept, both', email, status: '129' },
    ])
  })

  it('a first login whose sessions an administrator ends meanwhile fails, or is done', async () => {
    const { client } = await newAdministrator()
    const told = new Set<string>()
    for (let round = 0; round < 6; round++) {
      const users = await Promise.all(Array.from({ length: 6 }, () => appliance.addUser()))
      await Promise.all(
        users.map(async (user, at) => {
          const login = appliance.client().post('/auth', appliance.credentials(user))
          // Each at another moment of its login.
          await sleep(20 + at * 30)
          await client.must('DELETE', `/user/${user.id}/sessions`)
          told.add(verdict(await login))
        }),
      )
    }
    expect(['done', '403 1201']).toEqual(expect.arrayContaining([...told]))
  })

  it('searches without regard to case, and takes no wildcards', async () => {
    const { client } = await newAdministrator()
    const { id } = await appliance.addUser()
    await client.must('PUT', `/user/${id}`, { fullname: 'ÖRJAN 100% \\ _' })
    const found = async (text: string) =>
      ((await client.must('GET', `/user/${encodeURIComponent(text)}`)).CALLINFO['users'] as { id: string }[]).length
    expect(await Promise.all(['örjan', '0% \\ _', 'ö_jan', 'ö%n', 'n 1%'].map(found))).toEqual([1, 1, 0, 0, 0])
  })
}

onBothDatabases('races', decidesRaces, twoWorkers)
