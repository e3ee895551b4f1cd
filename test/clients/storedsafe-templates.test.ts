import { beforeAll, expect, it } from 'vitest'
import { applianceForTests } from '../support/for-tests.ts'
import type { StoredSafe } from 'storedsafe'
import { accepted, npmClient, startForClients } from './client-kit.ts'

const appliance = applianceForTests(startForClients)
let client: StoredSafe

beforeAll(async () => {
  client = await npmClient(appliance, await appliance.addUser())
})

it('lists templates and reads each of them', async () => {
  const listed = accepted(await client.listTemplates()).data?.TEMPLATE ?? []
  expect(listed.map(({ INFO }) => INFO.name)).toEqual(
    expect.arrayContaining(['Server', 'Folder', 'File', 'Login Info']),
  )
  for (const entry of listed) {
    const read = accepted(await client.getTemplate(entry.INFO.id))
    expect([read.status, read.data?.TEMPLATE]).toEqual([200, entry])
  }
})

it('hears of a template that is not there, and stays logged in', async () => {
  const read = await client.getTemplate('4711')
  expect(read).toMatchObject({ success: false, hasErrors: true, status: 404, data: { ERRORS: ['NO SUCH TEMPLATE'] } })
  expect(read.unauthorized).not.toBe(true)
  accepted(await client.check())
})
