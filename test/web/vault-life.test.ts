import { expect, it } from 'vitest'
import { createObject, objectsIn } from '../support/object-kit.ts'
import { makeVault } from '../support/vault.ts'
import type { VisitOptions } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'
import { hostileTexts } from './hostile-corpus.ts'

const stage = consoleStage()

/** A person with some objects in a vault of a name, in which they may write. */
async function owner(vaultname: string, options?: VisitOptions) {
  const { user, client, vaultid } = await stage.owner(vaultname, ['read', 'createVault', 'audit', 'active'])
  const folder = await createObject(client, vaultid, { templateid: '2', name: 'Racks' })
  await createObject(client, vaultid, { parentid: folder, host: 'inner.example.test' })
  const hosts = ['one', 'two', 'three', 'four'].map((name) => `${name}.${vaultname.toLowerCase()}.test`)
  for (const host of hosts) await createObject(client, vaultid, { host, password: 'S3cret-pass', info: `${name} info` })
  const visit = await stage.visitor(options)
  await visit.arrive(user)
  return { user, client, vaultid, visit, page: visit.page, folder }
}
const name = 'shelf'

it('creates a vault, edits it, and deletes it once its name is typed', async () => {
  const visit = await stage.visitor()
  const { page } = visit
  await visit.arrive(await stage.appliance.addUser())
  await page.getByRole('button', { name: 'Create vault' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create vault' }).click()
  await dialog.getByText('Fill in this field.').waitFor()
  await dialog.getByLabel('Name').fill('Attic')
  await dialog.getByLabel('Description').fill('What is seldom needed')
  await dialog.getByLabel('Password policy').selectOption({ label: 'PIN: 4 or more digits' })
  await dialog.getByRole('button', { name: 'Create vault' }).click()
  await visit.sees('Attic')
  await page.getByText('What is seldom needed').waitFor()
  await page.getByRole('link', { name: 'Members' }).click()
  await visit.sees('About Attic')
  await page.getByText('PIN: 4 or more digits').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('Name').fill('Cellar')
  await dialog.getByLabel('Description').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await visit.sees('About Cellar')
  await page.getByText('Empty', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Delete vault' }).click()
  await dialog.getByLabel('Type the name of the vault to confirm').fill('Attic')
  await dialog.getByRole('button', { name: 'Delete vault' }).click()
  await dialog.getByText('The name does not match.').waitFor()
  await dialog.getByLabel('Type the name of the vault to confirm').fill('Cellar')
  await dialog.getByRole('button', { name: 'Delete vault' }).click()
  await visit.sees('Vaults')
  await page.getByText('No vaults are shared with you yet.').waitFor()
  await page.getByText('Create one, or ask an Admin of a vault to share it with you.').waitFor()
  await visit.open('/exchange')
  await page.getByText('Create one, or ask an Admin of a vault to share it with you.').waitFor()
})

it('creates a vault without a description', async () => {
  const { visit, page } = await stage.visitingOwner('Porch')
  await page.getByRole('button', { name: 'Create vault' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Hall')
  await dialog.getByRole('button', { name: 'Create vault' }).click()
  await visit.sees('Hall')
  await page.getByRole('link', { name: 'Members' }).click()
  await visit.sees('About Hall')
  await page.getByText('Empty', { exact: true }).waitFor()
})

it('keeps what another person changes of a vault while one edits it', async () => {
  const { client, vaultid, visit, page } = await owner('Pantry')
  await client.must('PUT', `/vault/${vaultid}`, { description: ' Jars\r\nand tins ' })
  await visit.open(`/vault/${vaultid}/about`)
  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Password policy').waitFor()
  const theirs = { description: 'Jars alone', history: '50', policy: '8' }
  await client.must('PUT', `/vault/${vaultid}`, theirs)
  await dialog.getByLabel('Name').fill('Larder')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await visit.sees('About Larder')
  const VAULTS = (await client.must('GET', '/vault'))['VAULTS'] as Record<string, string>[]
  expect(VAULTS.find(({ id }) => id === vaultid)).toMatchObject({ groupname: 'Larder', ...theirs })
})

it('offers to edit a vault once its members are there, which would move the button from under the pointer', async () => {
  const { vaultid, visit, page } = await owner('Cellar')
  let answer = () => {}
  const isAnswered = new Promise<void>((resolve) => (answer = resolve))
  await page.route(`${stage.appliance.url}/vault/${vaultid}/members`, async (route) => {
    await isAnswered
    await route.continue()
  })
  await visit.open(`/vault/${vaultid}/about`)
  await visit.sees('About Cellar')
  const edit = page.getByRole('button', { name: 'Edit' })
  expect(await edit.count()).toBe(0)
  answer()
  await edit.waitFor()
  expect(await page.getByRole('button', { name: 'Share' }).count()).toBe(1)
})

it('keeps a vault that is not empty, and says why', async () => {
  const { vaultid, visit, page } = await owner('Loft')
  await visit.open(`/vault/${vaultid}/about`)
  await page.getByRole('button', { name: 'Delete vault' }).click()
  await page.getByLabel('Type the name of the vault to confirm').fill('Loft')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('alert').getByText('(1402)').waitFor()
  expect(await page.getByLabel('Type the name of the vault to confirm').inputValue()).toBe('Loft')
  visit.complaints.expect(/status of 409/)
})

it('offers no vault to create to those who may not', async () => {
  const visit = await stage.visitor()
  await visit.arrive(await stage.appliance.addUser(['read', 'active']))
  expect(await visit.page.getByRole('button', { name: 'Create vault' }).count()).toBe(0)
})

it('searches all vaults by every word, in one call for a word that is typed, and leads into them', async () => {
  const { client, visit, page } = await owner('Barn')
  const { id: other } = await makeVault(stage.appliance, 'Barn door', client)
  for (let at = 0; at < 7; at++) await createObject(client, other, { host: `door${at}.barn.test`, info: 'painted red' })
  await page.reload()
  await visit.sees('Vaults')
  await page.getByRole('searchbox').fill('x')
  await page.getByText('Objects are searched for from two letters on.').waitFor()
  // A longer word than the interface takes.
  await page.getByRole('searchbox').fill('x'.repeat(300))
  await page.getByText('Found: 0 vaults, 0 objects').waitFor()
  await page.getByRole('searchbox').fill('')
  const before = visit.asked.length
  // No machine is so slow that it rests between two letters.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await page.getByRole('searchbox').pressSequentially('RED barn')
  await page.clock.resume()
  await page.getByText('Found: 2 vaults, 7 objects').waitFor({ state: 'detached' })
  await page.getByText('Found: 0 vaults, 7 objects').waitFor()
  expect(visit.asked.slice(before).filter((url) => url.includes('/find?')).length).toBeLessThan(4)
  const group = page.getByRole('region', { name: 'In Barn door' })
  expect(await group.getByRole('link').count()).toBe(5)
  await visit.expectSound('search')
  await group.getByRole('button', { name: 'All 7 in Barn door' }).click()
  await visit.sees('Barn door')
  await page.getByText('7 of 7 objects').waitFor()
  expect(await page.getByRole('searchbox').inputValue()).toBe('RED barn')
  await visit.open('/')
  const recent = page.getByRole('navigation', { name: 'Recent' })
  await recent.getByRole('link', { name: 'Barn door' }).waitFor()
  await page.getByRole('searchbox').fill('three.barn')
  await page
    .getByRole('region', { name: 'In Barn', exact: true })
    .getByRole('link', { name: /three.barn.test/ })
    .click()
  await visit.sees('three.barn.test')
  await visit.open('/')
  await expect.poll(() => recent.getByRole('link').allInnerTexts()).toEqual(['three.barn.test', 'Barn door'])
  // Nothing of it is in a storage of the browser, or outlives the session.
  expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toMatch(/arn/)
})

it('finds hostile texts and shows them as texts', async () => {
  const { client, vaultid, page } = await owner('Gate')
  for (const text of hostileTexts) await createObject(client, vaultid, { objectname: `gate ${text}`, host: text })
  await page.getByRole('searchbox').fill('gate')
  await page.getByText(/Found: 1 vault, /).waitFor()
  await page.getByRole('button', { name: /^All \d+ in Gate/ }).waitFor()
  for (const text of hostileTexts) {
    await page.getByRole('searchbox').fill(`gate ${text}`)
    await page.getByRole('link', { name: `gate ${text}` }).waitFor()
  }
  expect(await page.evaluate('window.hit')).toBeUndefined()
})

it('chooses rows by keys and by the mouse, and deletes them with what lies in them', async () => {
  const { client, vaultid, visit, page } = await owner('Dock')
  await visit.open(`/vault/${vaultid}`)
  await visit.sees('Dock')
  const grid = page.getByRole('grid', { name: 'Dock' })
  expect(await grid.getAttribute('aria-multiselectable')).toBe('true')
  const chosen = () => grid.locator('[aria-selected="true"]').getByRole('link').allInnerTexts()
  await grid.getByRole('link', { name: 'Racks' }).focus()
  await page.keyboard.press('Space')
  await page.getByText('1 selected').waitFor()
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Shift+ArrowDown')
  await page.getByText('3 selected').waitFor()
  await page.keyboard.press('Shift+ArrowUp')
  await page.getByText('2 selected').waitFor()
  expect(await chosen()).toEqual(['Racks', 'four.dock.test'])
  await page.keyboard.press('Control+a')
  await page.getByText('5 selected').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText(/selected$/).waitFor({ state: 'detached' })
  await grid.getByRole('checkbox', { name: 'Select one.dock.test' }).check()
  await grid.getByRole('checkbox', { name: 'Select three.dock.test' }).click({ modifiers: ['Shift'] })
  expect(await chosen()).toEqual(['one.dock.test', 'three.dock.test'])
  // What a filter hides is not chosen any longer.
  await page.getByRole('searchbox').fill('two')
  await page.getByText('1 of 6 objects').waitFor()
  await page.getByRole('searchbox').fill('')
  await page.getByText('5 objects').waitFor()
  expect(await chosen()).toEqual([])
  await grid.getByRole('checkbox', { name: 'Select Racks' }).check()
  await grid.getByRole('checkbox', { name: 'Select one.dock.test' }).check()
  await visit.expectSound('chosen')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page
    .getByRole('dialog', { name: 'Delete 3 objects?' })
    .getByText('1 object in the selected folders is deleted too.')
    .waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await visit.hears('3 objects deleted.')
  await page.getByText('3 objects', { exact: true }).waitFor()
  const left = objectsIn(await client.must('GET', `/vault/${vaultid}`), 'OBJECTS').map(({ objectname }) => objectname)
  expect(left.toSorted()).toEqual(['four.dock.test', 'three.dock.test', 'two.dock.test'])
})

it('moves objects by a dialog, by the keyboard alone, into a folder and into another vault', async () => {
  const { client, vaultid, folder, visit, page } = await owner('Mill')
  const { id: other } = await makeVault(stage.appliance, 'Granary', client)
  const sacks = await createObject(client, other, { templateid: '2', name: 'Sacks' })
  const placeOf = async (objectname: string) => {
    for (const id of [vaultid, other]) {
      const objects = objectsIn(await client.must('GET', `/vault/${id}`), 'OBJECTS')
      const found = objects.find((one) => one.objectname === objectname)
      if (found) return `${id} ${String(found.parentid)}`
    }
    return undefined
  }
  // The list of vaults that the page has is from before.
  await page.reload()
  await visit.open(`/vault/${vaultid}`)
  const grid = page.getByRole('grid', { name: 'Mill' })
  await grid.getByRole('link', { name: 'one.mill.test' }).focus()
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Move' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Move 1 object' })
  // Where it is already is not offered.
  await expect.poll(() => dialog.getByLabel('Destination folder').locator('option').allInnerTexts()).toEqual(['Racks'])
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await visit.hears('1 object moved.')
  expect(await placeOf('one.mill.test')).toBe(`${vaultid} ${folder}`)
  await grid.getByRole('link', { name: 'one.mill.test' }).waitFor({ state: 'detached' })

  await grid.getByRole('checkbox', { name: 'Select two.mill.test' }).check()
  await grid.getByRole('checkbox', { name: 'Select Racks' }).check()
  await page.getByRole('button', { name: 'Move' }).click()
  const both = page.getByRole('dialog', { name: 'Move 2 objects' })
  await both.getByText('There are no other folders in this vault.').waitFor()
  await both.getByLabel('Destination vault').selectOption('Granary')
  await both.getByText('Moved objects are encrypted again').waitFor()
  await both.getByLabel('Destination folder').selectOption('Sacks')
  await visit.expectSound('move')
  await both.getByRole('button', { name: 'Move' }).click()
  await visit.hears('2 objects moved.')
  expect([await placeOf('two.mill.test'), await placeOf('Racks')]).toEqual([`${other} ${sacks}`, `${other} ${sacks}`])
  expect(await placeOf('one.mill.test')).toBe(`${other} ${folder}`)
})

it('moves by the mouse what is drawn into a folder, in the table and in the tree', async () => {
  const { client, vaultid, folder, visit, page } = await owner('Forge')
  await visit.open(`/vault/${vaultid}`)
  const grid = page.getByRole('grid', { name: 'Forge' })
  const inFolder = async () =>
    objectsIn(await client.must('GET', `/vault/${vaultid}`), 'OBJECTS')
      .filter(({ parentid }) => parentid === folder)
      .map(({ objectname }) => objectname)
      .toSorted()
  await grid.getByRole('link', { name: 'one.forge.test' }).dragTo(grid.getByRole('link', { name: 'Racks' }))
  await visit.hears('1 object moved.')
  expect(await inFolder()).toEqual(['inner.example.test', 'one.forge.test'])
  await grid.getByRole('checkbox', { name: 'Select two.forge.test' }).check()
  await grid.getByRole('checkbox', { name: 'Select three.forge.test' }).check()
  const tree = page.getByRole('treegrid', { name: 'Folders' })
  await grid.getByRole('link', { name: 'two.forge.test' }).dragTo(tree.getByText('Racks'))
  await visit.hears('2 objects moved.')
  expect(await inFolder()).toEqual(['inner.example.test', 'one.forge.test', 'three.forge.test', 'two.forge.test'])
  // Not into itself.
  await grid.getByRole('link', { name: 'Racks' }).dragTo(tree.getByText('Racks'))
  await page.getByText('2 objects', { exact: true }).waitFor()
})

it('chooses none of the rows of a vault in which one may only read', async () => {
  const visit = await stage.member()
  await visit.page.getByRole('link', { name: /Network/ }).click()
  await visit.sees('Network')
  expect(await visit.page.getByRole('checkbox').count()).toBe(0)
})

it('chooses ten thousand rows, and draws those that are seen', async () => {
  const { client, vaultid, visit, page } = await owner('Depot')
  const read = await client.must('GET', `/vault/${vaultid}`)
  const [model] = objectsIn(read, 'OBJECTS')
  const many = Array.from({ length: 10_000 }, (_, at) => ({
    ...model,
    id: String(1_000_000 + at),
    parentid: '0',
    children: '0',
    templateid: '1',
    objectname: `host ${at}`,
  }))
  await page.route(`${stage.appliance.url}/vault/${vaultid}`, (route) =>
    route.fulfill({ json: { ...read, OBJECTS: many } }),
  )
  await visit.open(`/vault/${vaultid}`)
  await page.getByText('10,000 objects').waitFor()
  await page.getByRole('checkbox', { name: 'Select all shown' }).check()
  await page.getByText('10,000 selected').waitFor()
  await page.getByRole('link', { name: 'host 0', exact: true }).focus()
  await page.keyboard.press('End')
  await page.getByRole('link', { name: 'host 9999' }).waitFor()
  expect(await page.getByRole('row').count()).toBeLessThan(60)
  expect(await page.getByRole('checkbox', { name: 'Select host 9999' }).isChecked()).toBe(true)
})

it('tells those who may read the trail who saw an object, and no others', async () => {
  const { client, vaultid, visit, page } = await owner('Vestry')
  const guest = await stage.appliance.addUser()
  await client.must('POST', `/vault/${vaultid}/member/${guest.id}`, { status: 1 })
  const object = await createObject(client, vaultid, { host: 'altar.example.test', password: 'S3cret-altar' })
  const reader = await stage.appliance.login(guest)
  await reader.must('GET', `/object/${object}?decrypt=true`)
  await visit.open(`/object/${object}`)
  await page.getByRole('link', { name: 'Activity' }).click()
  await visit.sees('Activity of altar.example.test')
  await page.getByRole('row', { name: new RegExp(`${guest.username} Read Password`) }).waitFor()
  await page.getByRole('cell', { name: 'Created' }).waitFor()
  await page.getByText('You have reached the beginning of the trail.').waitFor()
  await visit.expectSound('trail')

  const other = await stage.visitor()
  await other.arrive(guest)
  await other.open(`/object/${object}`)
  await other.sees('altar.example.test')
  expect(await other.page.getByRole('link', { name: 'Activity' }).count()).toBe(0)
  await other.open(`/object/${object}/trail`)
  await other.sees('You do not have access to this page')
})

it.each([
  ['dark', 1280],
  ['light', 360],
  ['dark', 360],
] as const)('is without a finding of axe-core in %s colours, and %i pixels are wide enough', async (theme, width) => {
  const { vaultid, folder, visit, page } = await owner('Harbour', { theme, width, height: width === 360 ? 720 : 800 })
  await page.getByRole('button', { name: 'Create vault' }).click()
  await page.getByLabel('Password policy').waitFor()
  await visit.expectSound('create-vault')
  await page.keyboard.press('Escape')
  await page.getByRole('searchbox').fill('harbour')
  await page.getByText(/Found: 1 vault, 4 objects/).waitFor()
  await visit.expectSound('search')
  await visit.open(`/vault/${vaultid}`)
  await page.getByRole('checkbox', { name: 'Select all shown' }).check()
  await visit.expectSound('chosen')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').waitFor()
  await visit.expectSound('delete-chosen')
  await page.keyboard.press('Escape')
  await visit.open(`/object/${folder}/trail`)
  await page.getByText('You have reached the beginning of the trail.').waitFor()
  await visit.expectSound('trail')
  await visit.open('/')
  await page.getByRole('navigation', { name: 'Recent' }).waitFor()
  await visit.expectSound('recent')
})
