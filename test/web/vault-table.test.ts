import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createObject, objectsIn, upload } from '../support/object-kit.ts'
import { consoleStage } from './console-stage.ts'
import { memberOf } from './console-vault.ts'

const stage = consoleStage()

const names = (page: Page): Promise<string[]> =>
  page.getByRole('grid').locator('.rows').getByRole('row').getByRole('link').allInnerTexts()

it('is sorted by name, and by columns of its template or by the kind, by the mouse and by keys', async () => {
  const { client, vaultid, visit, page } = await stage.visitingOwner('Foundry')
  const folder = await createObject(client, vaultid, { templateid: '2', name: 'Racks' })
  for (const [host, username] of [
    ['a.test', 'zoe'],
    ['b.test', ''],
    ['c.test', 'ann'],
    ['d.test', 'ann'],
  ] as const)
    await createObject(client, vaultid, { host, username: username === '' ? '-' : username, info: username })
  await visit.open(`/vault/${vaultid}`)
  await visit.sees('Foundry')
  const head = (name: string) => page.getByRole('columnheader', { name, exact: true })
  expect(await head('Name').getAttribute('aria-sort')).toBe('ascending')
  expect(await head('Username').getAttribute('aria-sort')).toBe('none')
  await head('Name').getByRole('button').click()
  await expect.poll(() => names(page)).toEqual(['Racks', 'd.test', 'c.test', 'b.test', 'a.test'])
  expect(await head('Name').getAttribute('aria-sort')).toBe('descending')

  // Upwards from the first row into the head, and back.
  await page.getByRole('link', { name: 'Racks' }).focus()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Information')
  await page.keyboard.press('Enter')
  await expect.poll(() => names(page)).toEqual(['Racks', 'c.test', 'd.test', 'a.test', 'b.test'])
  await page.keyboard.press('Space')
  // What has no text stays behind.
  await expect.poll(() => names(page)).toEqual(['Racks', 'a.test', 'c.test', 'd.test', 'b.test'])
  expect(await head('Information').getAttribute('aria-sort')).toBe('descending')
  expect(await page.getByText('selected').count()).toBe(0)
  await visit.expectSound('sorted')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await visit.sees('a.test')
  await page.goBack()
  await visit.sees('Foundry')
  await expect.poll(() => names(page)).toEqual(['Racks', 'a.test', 'c.test', 'd.test', 'b.test'])

  await createObject(client, vaultid, { templateid: '9', name: 'A door', pincode: '4711' })
  await createObject(client, vaultid, { parentid: folder, host: 'inner.test', username: 'x' })
  await page.reload()
  await head('Type').getByRole('button').click()
  await expect.poll(() => names(page)).toEqual(['Racks', 'A door', 'a.test', 'b.test', 'c.test', 'd.test'])
  await head('Type').getByRole('button').click()
  await expect.poll(async () => (await names(page)).at(-1)).toBe('A door')
})

it('keeps what is chosen as it is sorted, and what lies between no more than that', async () => {
  const { client, vaultid, visit, page } = await stage.visitingOwner('Weir')
  for (const [host, username] of [
    ['a.test', 'c'],
    ['b.test', 'a'],
    ['c.test', 'b'],
  ] as const)
    await createObject(client, vaultid, { host, username })
  await visit.open(`/vault/${vaultid}`)
  await page.getByRole('link', { name: 'a.test' }).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Shift+ArrowDown')
  await page.getByText('2 selected').waitFor()
  await page.getByRole('columnheader', { name: 'Username' }).getByRole('button').click()
  await expect.poll(() => names(page)).toEqual(['b.test', 'c.test', 'a.test'])
  await page.getByText('2 selected').waitFor()
  const chosen = page.getByRole('grid').locator('[aria-selected="true"]').getByRole('link')
  expect(await chosen.allInnerTexts()).toEqual(['b.test', 'a.test'])
})

it('sorts ten thousand rows, and draws those that are seen', async () => {
  const visit = await stage.member()
  const { page } = visit
  const read = await stage.stocked.client.must('GET', `/vault/${stage.stocked.vaultid}`)
  const model = objectsIn(read, 'OBJECTS').find(({ id }) => id === stage.stocked.server)
  const many = Array.from({ length: 10_000 }, (_, at) => ({
    ...model,
    id: String(1_000_000 + at),
    parentid: '0',
    objectname: `host ${at}`,
    public: { host: `host ${at}`, username: `user ${(at * 7) % 10_000}` },
  }))
  await page.route(`${stage.appliance.url}/vault/${stage.stocked.vaultid}`, (route) =>
    route.fulfill({ json: { ...read, OBJECTS: many } }),
  )
  await visit.open(`/vault/${stage.stocked.vaultid}`)
  await page.getByText('10,000 objects').waitFor()
  await page.getByRole('columnheader', { name: 'Username' }).getByRole('button').click()
  // 7 · 7143 = 50 001.
  await expect.poll(async () => (await names(page)).slice(0, 2)).toEqual(['host 0', 'host 7143'])
  await page.getByRole('columnheader', { name: 'Name', exact: true }).getByRole('button').click()
  await page.getByRole('columnheader', { name: 'Name', exact: true }).getByRole('button').click()
  await expect.poll(async () => (await names(page))[0]).toBe('host 9999')
  expect(await page.getByRole('row').count()).toBeLessThan(60)
})

it('takes objects into a certificate that holds none yet, by the mouse, by the dialog and by its page', async () => {
  const { client, vaultid, visit, page } = await stage.visitingOwner('Registry')
  const certificate = await upload(client, { groupid: vaultid, templateid: '31' }, Buffer.from('PEM'), 'shop.pem')
  for (const host of ['one.test', 'two.test']) await createObject(client, vaultid, { host })
  const placesOf = async (): Promise<Record<string, unknown>> =>
    Object.fromEntries(
      objectsIn(await client.must('GET', `/vault/${vaultid}`), 'OBJECTS').map((one) => [
        one.objectname,
        one['parentid'],
      ]),
    )
  await visit.open(`/vault/${vaultid}`)
  const grid = page.getByRole('grid', { name: 'Registry' })
  await grid.getByRole('link', { name: 'shop.pem' }).click()
  await visit.sees('shop.pem')
  await page.getByRole('link', { name: 'New object' }).click()
  await page.waitForURL(`**/#/vault/${vaultid}/${certificate}/new`)
  await visit.open(`/vault/${vaultid}`)
  expect(await page.getByRole('treegrid', { name: 'Folders' }).count()).toBe(0)
  await grid.getByRole('checkbox', { name: 'Select one.test' }).check()
  await page.getByRole('button', { name: 'Move' }).click()
  const dialog = page.getByRole('dialog', { name: 'Move 1 object' })
  await expect
    .poll(() => dialog.getByLabel('Destination folder').locator('option').allInnerTexts())
    .toEqual(['shop.pem'])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await grid.getByRole('link', { name: 'two.test' }).dragTo(grid.getByRole('link', { name: 'shop.pem' }))
  await visit.hears('1 object moved.')
  expect(await placesOf()).toEqual({ 'shop.pem': '0', 'one.test': '0', 'two.test': certificate })
  const inTree = page.getByRole('treegrid', { name: 'Folders' }).getByRole('row', { name: 'shop.pem' })
  await inTree.locator('svg.lucide-badge-check').waitFor()
  await inTree.click()
  await visit.sees('shop.pem')
  await grid.getByRole('link', { name: 'two.test' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'two.test' }).waitFor()
})

it('makes favourites of rows and of what is chosen', async () => {
  const { client, vaultid, visit, page } = await stage.visitingOwner('Quarry')
  for (const host of ['one.test', 'two.test', 'three.test']) await createObject(client, vaultid, { host })
  const favourites = async (): Promise<string[]> =>
    objectsIn(await client.must('GET', '/favourites'))
      .map(({ objectname }) => objectname)
      .toSorted()
  await visit.open(`/vault/${vaultid}`)
  const star = page.getByRole('button', { name: 'Favourite: one.test' })
  await page.getByRole('link', { name: 'one.test' }).focus()
  const focused = (): Promise<unknown> => page.evaluate(`document.activeElement.getAttribute('aria-label')`)
  for (let steps = 0; (await focused()) !== 'Favourite: one.test' && steps < 6; steps += 1)
    await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await visit.hears('one.test added to favourites.')
  expect(await favourites()).toEqual(['one.test'])
  expect(await star.getAttribute('aria-pressed')).toBe('true')
  await visit.sees('Quarry')
  await visit.expectSound('starred')

  await page.getByRole('checkbox', { name: 'Select one.test' }).check()
  await page.getByRole('checkbox', { name: 'Select two.test' }).check()
  const chosen = page.getByRole('group', { name: 'Selected objects' })
  await chosen.getByRole('button', { name: 'Add to favourites' }).click()
  await visit.hears('2 objects added to favourites.')
  expect(await favourites()).toEqual(['one.test', 'two.test'])
  await chosen.getByRole('button', { name: 'Remove from favourites' }).click()
  await visit.hears('2 objects removed from favourites.')
  expect(await favourites()).toEqual([])
  await page.getByText('2 selected').waitFor()
})

it('lets those who may only read make favourites of rows, and says what is refused', async () => {
  const visit = await stage.visitor()
  const { page } = visit
  await visit.arrive(await memberOf(stage.stocked, stage.appliance))
  await visit.open(`/vault/${stage.stocked.vaultid}`)
  const star = page.getByRole('button', { name: 'Favourite: Registrar' })
  await page.route('**/object/*/favourite', (route) => route.abort())
  await star.click()
  await page.getByRole('alert').getByText('The appliance cannot be reached.').waitFor()
  expect(await star.getAttribute('aria-pressed')).toBe('false')
  await page.unroute('**/object/*/favourite')
  visit.complaints.expect(/net::ERR_FAILED/)
  await star.click()
  await visit.hears('Registrar added to favourites.')
  expect(await star.getAttribute('aria-pressed')).toBe('true')
})
