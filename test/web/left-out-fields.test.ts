import { expect, it } from 'vitest'
import { createObject, objectsIn, type ObjectRecord } from '../support/object-kit.ts'
import type { Visit } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

/** A person with a vault of which lists leave out open fields, as they do where it is full of long ones (test/attacks/long-lists). */
async function before(vaultname: string) {
  const { user, client, vaultid } = await stage.owner(vaultname)
  const visit = await stage.visitor()
  const lists = [`${stage.appliance.url}/vault/${vaultid}`, `${stage.appliance.url}/find?*`]
  for (const address of lists)
    await visit.page.route(address, async (route) => {
      const answer = await client.must('GET', route.request().url().slice(stage.appliance.url.length))
      for (const member of ['OBJECT', 'OBJECTS'].filter((one) => one in answer))
        Object.assign(answer, {
          [member]: objectsIn(answer, member).map((object) => ({ ...object, public: {}, abridged: true })),
        })
      await route.fulfill({ json: answer })
    })
  await visit.arrive(user)
  const all = async (): Promise<ObjectRecord[]> => objectsIn(await client.must('GET', `/vault/${vaultid}`), 'OBJECTS')
  return { client, vaultid, visit, page: visit.page, all }
}

it('are said to be left out, and what the appliance finds by them is shown', async () => {
  const { client, vaultid, visit, page } = await before('Full')
  await createObject(client, vaultid, { objectname: 'Gate', host: 'tarragona.example.test' })
  await page.getByRole('searchbox').fill('tarragona')
  await page.getByRole('link', { name: /^Gate/ }).waitFor()
  await visit.open(`/vault/${vaultid}`)
  await visit.sees('Full')
  await page.getByRole('gridcell', { name: 'Too long to show here' }).waitFor()
})

/** Tries to make a Short login whose call is lost on the way, while `meanwhile` happens; and then once more. */
async function createTwice({ page }: Visit, username: string, meanwhile: () => Promise<unknown>): Promise<void> {
  const address = `${stage.appliance.url}/object`
  await page.getByRole('searchbox').fill('Short login')
  await page.getByRole('button', { name: /^Short login/ }).click()
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill('S3cret-pass.phrase')
  await page.route(address, (route) => route.abort())
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('It may have been saved anyway.').waitFor()
  await page.unroute(address)
  await meanwhile()
  await page.getByRole('button', { name: 'Create' }).click()
}

it("of another's object are read before it is taken for one whose answer was lost", async () => {
  const { client, vaultid, visit, all } = await before('Lost')
  await visit.open(`/vault/${vaultid}/0/new`)
  await visit.sees('New object')
  const theirs = { templateid: '10', username: 'theirs', password: 'An0ther-pass' }
  await createTwice(visit, 'mine', () => createObject(client, vaultid, theirs))
  await visit.sees('mine')
  expect((await all()).map(({ objectname }) => objectname).toSorted()).toEqual(['mine', 'theirs'])
  visit.complaints.expect(/net::ERR_FAILED/)
})

it('of objects that are called as those of an import are read before it says which are there already', async () => {
  const { client, vaultid, visit, page, all } = await before('Moved')
  const login = { templateid: '20', url: 'https://mail.example', password: 'pw' }
  for (const username of ['ann', 'bob']) await createObject(client, vaultid, { ...login, name: 'Mail', username })
  await visit.open('/exchange')
  await visit.sees('Import and export')
  const rows = ['ann', 'cid'].map((username) => `Mail,${username},pw,https://mail.example`)
  const buffer = Buffer.from(`name,username,password,url\n${rows.join('\n')}\n`)
  await page.locator('input[type=file]').setInputFiles({ name: 'export.csv', mimeType: 'text/csv', buffer })
  await page.getByText(/1 is already in the vault/).waitFor()
  await page.getByRole('button', { name: 'Import 1 object' }).click()
  await visit.hears('1 object imported.')
  expect((await all()).map((object) => String(object.public['username'])).toSorted()).toEqual(['ann', 'bob', 'cid'])
})
