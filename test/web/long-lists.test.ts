import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createObject, objectsIn } from '../support/object-kit.ts'
import { makeVault } from '../support/vault.ts'
import type { VisitOptions } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'
import { looks } from './looks.ts'

const stage = consoleStage()
/** A machine may be busy with other tests. */

/** A person with a vault of their own. */
async function owner(vaultname: string, options?: VisitOptions) {
  const owned = await stage.owner(vaultname)
  const visit = await stage.visitor(options)
  await visit.arrive(owned.user)
  return { ...owned, visit, page: visit.page }
}

/** Makes so many of something, a few at once; resolves to what was made, in order. */
async function many<Made>(count: number, make: (at: number) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = []
  const atOnce = 8
  for (let first = 0; first < count; first += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, count - first) }, (_, at) => make(first + at))
    made.push(...(await Promise.all(some)))
  }
  return made
}

/** Of the main part of the page. */
const items = (page: Page) => page.getByRole('main').getByRole('list').last().getByRole('listitem')

it('the trash is gone through page by page, and its last entry taken back, by the keyboard alone', async () => {
  const { client, vaultid, visit, page } = await owner('Quarry')
  const ids = await many(230, (at) => createObject(client, vaultid, { host: `stone-${at}.example.test` }))
  await many(ids.length, (at) => client.must('DELETE', `/object/${ids[at]}`))
  await visit.open(`/vault/${vaultid}/trash`)
  await visit.sees('Trash of Quarry')
  await page.getByText('Page 1 of 3').waitFor()
  expect(await items(page).count()).toBe(100)
  await visit.expectSound('trash-long')
  await page.getByRole('button', { name: 'Next page' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Page 2 of 3').waitFor()
  expect(await visit.focused()).toBe('Next page')
  await page.keyboard.press('Enter')
  await page.getByText('Page 3 of 3').waitFor()
  expect(await items(page).count()).toBe(30)
  // There is no further page: the other button has the focus.
  await expect.poll(() => visit.focused()).toBe('Previous page')
  await page
    .getByRole('button', { name: /^Restore/ })
    .last()
    .focus()
  const [last = ''] = (await visit.focused()).split(' ').slice(-1)
  await page.keyboard.press('Enter')
  await visit.hears(`${last} restored.`)
  await expect.poll(() => items(page).count()).toBe(29)
  expect(objectsIn(await client.must('GET', `/vault/${vaultid}`), 'OBJECTS').map((one) => one.objectname)).toEqual([
    last,
  ])

  await page.getByRole('searchbox', { name: 'Filter this list' }).focus()
  await page.keyboard.type('STONE-17')
  await page.getByText('11 of 229', { exact: true }).waitFor()
  expect(await items(page).count()).toBe(11)
  await page.keyboard.type(' nowhere')
  await page.getByText('Nothing matches the filter.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Page 1 of 3').waitFor()
})

it.each(looks)('members of a large vault are found by a filter, in %s colours and %i pixels', async (theme, width) => {
  const { client, vaultid, visit, page } = await owner('Assembly', { theme, width })
  const users = await many(3, () => stage.appliance.addUser())
  await many(users.length, (at) => client.must('POST', `/vault/${vaultid}/member/${users[at]?.id}`, { status: 1 }))
  // The real ones stand behind two thousand others.
  const address = `${stage.appliance.url}/vault/${vaultid}/members`
  await page.route(address, async (route) => {
    const answer = await client.must('GET', `/vault/${vaultid}/members`)
    const vaultmembers = answer.CALLINFO['vaultmembers'] as readonly object[]
    const others = Array.from({ length: 2_000 }, (_, at) => ({
      ...vaultmembers[0],
      id: String(5_000_000 + at),
      fullname: `Guest ${at}`,
      username: `guest-${at}`,
    }))
    await route.fulfill({
      json: { ...answer, CALLINFO: { ...answer.CALLINFO, vaultmembers: [...others, ...vaultmembers] } },
    })
  })
  await visit.open(`/vault/${vaultid}/about`)
  await visit.sees('About Assembly')
  await page.getByText('Page 1 of 21').waitFor()
  const members = page.locator('.members > li')
  expect(await members.count()).toBe(100)
  await visit.expectSound('members-long')
  const [, gone] = users
  await page.getByRole('searchbox', { name: 'Filter this list' }).fill(gone?.username ?? '')
  await page.getByText('1 of 2,004').waitFor()
  await members.getByRole('button', { name: /^Remove/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Nothing matches the filter.').waitFor()
  await page.getByRole('button', { name: 'Clear filter' }).click()
  await page.getByText('Page 1 of 21').waitFor()
  const { CALLINFO } = await client.must('GET', `/vault/${vaultid}/members`)
  expect(CALLINFO['vaultmembers']).toHaveLength(users.length)
})

it('folders without number are drawn in part, and found as the place to which objects move', async () => {
  const { client, vaultid, visit, page } = await owner('Registry')
  const folders = await many(240, (at) => createObject(client, vaultid, { templateid: '2', name: `Shelf ${at}` }))
  const object = await createObject(client, vaultid, { host: 'book.example.test' })
  await visit.open(`/vault/${vaultid}/${folders[230]}`)
  await visit.sees('Shelf 230')
  const tree = page.getByRole('treegrid', { name: 'Folders' })
  await tree.getByText('139 more').waitFor()
  // The one that is shown is among those that are drawn.
  await tree.getByRole('row', { name: 'Shelf 230', selected: true }).waitFor()
  expect(await tree.getByRole('row').count()).toBe(103)
  await visit.open(`/vault/${vaultid}`)
  await visit.sees('Registry')
  await page.getByRole('searchbox').fill('book')
  await page.getByRole('checkbox', { name: 'Select book.example.test' }).check()
  await page.getByRole('button', { name: 'Move' }).click()
  const dialog = page.getByRole('dialog', { name: 'Move 1 object' })
  const choice = dialog.getByLabel('Destination folder', { exact: true })
  await dialog.getByText('140 more').waitFor()
  expect(await choice.getByRole('option').count()).toBe(100)
  await visit.expectSound('move-long')
  await dialog.getByRole('searchbox', { name: 'Filter: Destination folder' }).focus()
  await page.keyboard.type('shelf 237')
  await dialog.getByText('1 of 240').waitFor()
  // Enter in the filter moves nothing, and a filter chooses nothing.
  await page.keyboard.press('Enter')
  const first = await choice.locator('option').first().textContent()
  expect(await choice.locator('option').allTextContents()).toEqual([first, 'Shelf 237'])
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.tagName')).toBe('SELECT')
  await page.keyboard.press('End')
  await dialog.getByRole('button', { name: 'Move' }).focus()
  await page.keyboard.press('Enter')
  await visit.hears('1 object moved.')
  const [moved] = objectsIn(await client.must('GET', `/object/${object}`))
  expect(moved?.['parentid']).toBe(folders[237])
})

it('more than 500 objects in one are told of before they are deleted, or moved into another vault', async () => {
  const { client, vaultid, visit, page } = await owner('Granary')
  const { id: other } = await makeVault(stage.appliance, 'Mill', client)
  const folder = await createObject(client, vaultid, { templateid: '2', name: 'Sacks' })
  await createObject(client, vaultid, { templateid: '2', name: 'Bins' })
  await many(500, (at) => createObject(client, vaultid, { parentid: folder, host: `sack-${at}.example.test` }))
  await page.reload()
  const told = /^Sacks is 501 objects with what lies in it/
  await visit.open(`/object/${folder}`)
  await visit.sees('Sacks')
  await page.getByText('Page 1 of 5').waitFor()
  expect(await items(page).count()).toBe(100)
  await page.getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('alertdialog')
  await question.getByText(told).waitFor()
  expect(await question.getByRole('button').allTextContents()).toEqual(['Cancel'])
  await page.keyboard.press('Escape')

  await visit.open(`/vault/${vaultid}`)
  await visit.sees('Granary')
  await page.getByRole('checkbox', { name: 'Select Sacks' }).check()
  const chosen = page.getByRole('group', { name: 'Selected objects' })
  await chosen.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(told).waitFor()
  expect(await dialog.getByRole('button').allTextContents()).toEqual(['Cancel'])
  await visit.expectSound('too-much')
  await page.keyboard.press('Escape')

  await chosen.getByRole('button', { name: 'Move' }).click()
  // Within the vault nothing is encrypted anew.
  await dialog.getByRole('button', { name: 'Move' }).waitFor()
  await dialog.getByLabel('Destination vault').selectOption(other)
  await dialog.getByText(told).waitFor()
  expect(await dialog.getByRole('button').allTextContents()).toEqual(['Cancel'])
  await dialog.getByLabel('Destination vault').selectOption(vaultid)
  await dialog.getByLabel('Destination folder').selectOption({ label: 'Bins' })
  await dialog.getByRole('button', { name: 'Move' }).click()
  await visit.hears('1 object moved.')

  // The bound is that of the appliance: with one object less it goes.
  const inside = objectsIn(await client.must('GET', `/vault/${vaultid}`), 'OBJECTS')
  const one = inside.find(({ objectname }) => objectname === 'sack-7.example.test')
  const refused = await client.call('DELETE', `/object/${folder}`, { body: { children: true } })
  expect(refused.status).toBe(400)
  await client.must('DELETE', `/object/${one?.id}`)
  await visit.open(`/object/${folder}`)
  await visit.sees('Sacks')
  await page.reload()
  await visit.sees('Sacks')
  await page.getByRole('button', { name: 'Delete' }).click()
  await question.getByRole('button', { name: 'Delete all 500' }).click()
  await visit.sees('Bins')
  expect(objectsIn(await client.must('GET', `/vault/${vaultid}`), 'OBJECTS')).toHaveLength(1)
})
