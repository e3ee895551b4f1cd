import { expect, it } from 'vitest'
import { serviceSessionsQuery } from '../../../src/features/auth/session-records.ts'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { addCredential, addService, asked, byKey, loggedIn } from '../../support/service-kit.ts'

const most = 3

const appliance = applianceForTests(() =>
  TestAppliance.own({ service: { allowStatic: true, sessionsPerAccount: most } }),
)

it('a login of a service account ends its oldest session beyond the limit, and none of another account', async () => {
  const owner = await appliance.addUser()
  const [service, other] = [await addService(appliance, owner), await addService(appliance, owner)]
  const { key } = await addCredential(appliance, service, { ...asked, kind: 'static' })
  const { key: otherKey } = await addCredential(appliance, other, { ...asked, kind: 'static' })
  const logIn = () => loggedIn(appliance.client(), byKey(service.name, key))
  const first = await loggedIn(appliance.client(), byKey(other.name, otherKey))
  const clients = [await logIn(), await logIn(), await logIn()]
  const statuses = () => Promise.all(clients.map(async (client) => (await client.post('/auth/check')).status))
  expect(await statuses()).toEqual([200, 200, 200])
  clients.push(await logIn())
  expect(await statuses()).toEqual([403, 200, 200, 200])
  await Promise.all(Array.from({ length: 4 }, logIn))
  await logIn()
  expect(await statuses()).toEqual([403, 403, 403, 403])
  expect((await first.post('/auth/check')).status).toBe(200)
  const open = `SELECT count(*) AS open FROM sessions WHERE user_id = ${service.id} AND ended_at IS NULL`
  expect(await appliance.store.read.query(open)).toEqual([{ open: most }])
})

it('they are counted by their index', async () => {
  const plan = `EXPLAIN QUERY PLAN ${serviceSessionsQuery.replace('$1', '1').replace('$2', '9')}`
  expect(await appliance.store.read.query(plan)).toMatchObject([
    { detail: expect.stringContaining('USING INDEX sessions_open_of_service') },
  ])
})
