import { expect, it } from 'vitest'
import { createObject, objectsIn, readObject, recordsAbout, type ObjectRecord } from '../support/object-kit.ts'
import { makeVault } from '../support/vault.ts'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()
const password = 'S3cret-pass.phrase'

it('a folder is copied from the table into another vault with all that lies in it, and stays where it is', async () => {
  const { client, vaultid, user } = await stage.owner('Plant')
  const { id: other } = await makeVault(stage.appliance, 'Archive', client)
  const folder = await createObject(client, vaultid, { templateid: '2', name: 'Presses' })
  await createObject(client, vaultid, { parentid: folder, host: 'press1.example.test' })
  const visit = await stage.visitor({ width: 360 })
  const { page } = visit
  await visit.arrive(user)
  await visit.open(`/vault/${vaultid}`)
  await page.getByRole('grid', { name: 'Plant' }).getByRole('link', { name: 'Presses' }).focus()
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Copy to…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Copy 1 object' })
  await dialog.getByText('Each secret is recorded as read').waitFor()
  // A folder is copied beside itself, and not into itself.
  await expect.poll(() => dialog.getByLabel('Destination folder').locator('option').count()).toBe(1)
  await dialog.getByLabel('Destination vault').selectOption('Archive')
  await dialog.getByText('The members of that vault can see the copies').waitFor()
  await visit.expectSound('copy')
  await dialog.getByRole('button', { name: 'Copy' }).click()
  await visit.hears('1 object copied.')
  const copies = await contentsOf(client, other)
  expect(copies.map(({ objectname }) => objectname).toSorted()).toEqual(['Presses', 'press1.example.test'])
  const [copy] = copies.filter(({ objectname }) => objectname !== 'Presses')
  expect((await readObject(client, copy?.id ?? '', '?decrypt=true')).crypted).toMatchObject({ password })
  expect(await contentsOf(client, vaultid)).toHaveLength(2)
})

it('an object is copied beside itself and moved from its own page', async () => {
  const { client, vaultid, user } = await stage.owner('Yard')
  const folder = await createObject(client, vaultid, { templateid: '2', name: 'Gates' })
  const id = await createObject(client, vaultid, { host: 'gate1.example.test' })
  const visit = await stage.visitor()
  const { page } = visit
  await visit.arrive(user)
  await visit.open(`/object/${id}`)
  await page.getByRole('button', { name: 'Copy to…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click()
  await visit.hears('1 object copied.')
  const copies = (await contentsOf(client, vaultid)).filter(({ objectname }) => objectname === 'gate1.example.test')
  expect(copies.map(({ parentid }) => parentid)).toEqual(['0', '0'])
  expect(recordsAbout(stage.appliance, `object ${id}`).map(({ operation }) => operation)).toContain('object.decrypt')

  await page.getByRole('button', { name: 'Move', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Move 1 object' })
  await expect.poll(() => dialog.getByLabel('Destination folder').locator('option').allInnerTexts()).toEqual(['Gates'])
  await dialog.getByRole('button', { name: 'Move' }).click()
  await visit.hears('1 object moved.')
  expect((await readObject(client, id))['parentid']).toBe(folder)
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Gates' }).waitFor()
  expect(await visit.findings()).toEqual([])
})

it('an object is copied once where the answer is lost and it is tried again', async () => {
  const { client, vaultid, user } = await stage.owner('Mill')
  const folder = await createObject(client, vaultid, { templateid: '2', name: 'Wheels' })
  const hosts = ['wheel1.example.test', 'wheel2.example.test']
  for (const host of hosts) await createObject(client, vaultid, { host })
  // Of the same name as the second, and not its copy.
  await createObject(client, vaultid, { host: hosts[1], parentid: folder })
  const visit = await stage.visitor()
  const { page } = visit
  await visit.arrive(user)
  await visit.open(`/vault/${vaultid}`)
  const grid = page.getByRole('grid', { name: 'Mill' })
  for (const host of hosts) await grid.getByRole('checkbox', { name: `Select ${host}` }).check()
  await page.getByRole('button', { name: 'Copy to…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Copy 2 objects' })
  await dialog.getByLabel('Destination folder').selectOption('Wheels')
  let calls = 0
  await page.route('**/api/1.0/object/*/copy', async (route) => {
    calls += 1
    // The second is carried out, and its answer is lost. A third would copy the same once more.
    if (calls === 2)
      await client.must(
        'POST',
        new URL(route.request().url()).pathname.replace('/api/1.0', ''),
        route.request().postDataJSON(),
      )
    return calls === 1 ? route.continue() : route.abort('connectionreset')
  })
  await dialog.getByRole('button', { name: 'Copy' }).click()
  await dialog.getByText('The appliance cannot be reached.').waitFor()
  await dialog.getByRole('button', { name: 'Copy' }).click()
  await visit.hears('2 objects copied.')
  const inside = (await contentsOf(client, vaultid)).filter(({ parentid }) => parentid === folder)
  expect(inside.map(({ objectname }) => objectname).toSorted()).toEqual([hosts[0], hosts[1], hosts[1]])
  expect(calls).toBe(2)
  visit.complaints.expect(/net::ERR_/)
})

it('a reader copies into a vault of their own, and moves nothing', async () => {
  const { client, vaultid, user } = await stage.owner('Own')
  const reader = stage.stocked.client
  await reader.must('POST', `/vault/${stage.stocked.vaultid}/member/${user.id}`, { status: 1 })
  const visit = await stage.visitor()
  const { page } = visit
  await visit.arrive(user)
  await visit.open(`/object/${stage.stocked.server}`)
  await page.getByRole('button', { name: 'Copy to…' }).click()
  for (const name of ['Move', 'Edit', 'Delete'])
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
  const dialog = page.getByRole('dialog')
  await expect.poll(() => dialog.getByLabel('Destination vault').locator('option').allInnerTexts()).toEqual(['Own'])
  await dialog.getByRole('button', { name: 'Copy' }).click()
  await visit.hears('1 object copied.')
  expect((await contentsOf(client, vaultid)).map(({ objectname }) => objectname)).toEqual(['core1.example.test'])
})

const contentsOf = async (client: (typeof stage.stocked)['client'], vaultid: string): Promise<ObjectRecord[]> =>
  objectsIn(await client.must('GET', `/vault/${vaultid}`), 'OBJECTS')
