import { expect, it } from 'vitest'
import { createObject, objectsIn } from '../support/object-kit.ts'
import type { VisitOptions } from './browser-kit.ts'
import { memberOf } from './console-vault.ts'
import { consoleStage } from './console-stage.ts'
import { hostileTexts } from './hostile-corpus.ts'

const stage = consoleStage()

/** A person in a vault of a name, with a folder and what lies in it. */
async function owner(vaultname: string, options?: VisitOptions) {
  const { user, client, vaultid } = await stage.owner(vaultname)
  const folder = await createObject(client, vaultid, { templateid: '2', name: 'Racks' })
  await createObject(client, vaultid, { parentid: folder, host: 'inner.example.test' })
  await createObject(client, vaultid, { host: 'outer.example.test' })
  const visit = await stage.visitor(options)
  await visit.arrive(user)
  const names = async (): Promise<string[]> =>
    objectsIn(await client.must('GET', `/vault/${vaultid}`), 'OBJECTS').map(({ objectname }) => objectname)
  return { client, vaultid, folder, visit, page: visit.page, names }
}

it('gives back what was deleted from the table, with what lay in it', async () => {
  const { vaultid, visit, page, names } = await owner('Mews')
  await visit.open(`/vault/${vaultid}`)
  await page.getByRole('checkbox', { name: 'Select Racks' }).check()
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete 2 objects?' })
  await dialog.getByText('from the trash of the vault').waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await visit.hears('2 objects deleted.')
  expect(await names()).toEqual(['outer.example.test'])

  await page.getByRole('link', { name: 'Trash' }).click()
  await visit.sees('Trash of Mews')
  await page.getByText('with 1 other object').waitFor()
  await page.getByRole('button', { name: 'Restore Racks' }).click()
  await visit.hears('Racks restored.')
  await page.getByText('The trash is empty.').waitFor()
  expect((await names()).toSorted()).toEqual(['Racks', 'inner.example.test', 'outer.example.test'])
  await page.getByRole('link', { name: 'Mews' }).click()
  await page.getByRole('grid').getByRole('link', { name: 'Racks' }).waitFor()
})

it('gives back what was deleted by itself, by the keyboard alone', async () => {
  const { vaultid, folder, visit, page, names } = await owner('Barn')
  await visit.open(`/object/${folder}`)
  await page.getByRole('button', { name: 'Delete' }).focus()
  await page.keyboard.press('Enter')
  const question = page.getByRole('alertdialog')
  await question.getByText('inner.example.test').waitFor()
  // Cancel has the focus.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await visit.sees('Barn')
  expect(await names()).toEqual(['outer.example.test'])
  await visit.open(`/vault/${vaultid}/trash`)
  await page.getByRole('button', { name: 'Restore Racks' }).focus()
  await page.keyboard.press('Enter')
  await visit.hears('Racks restored.')
  expect(await names()).toHaveLength(3)
})

it('is read again at a return to the tab, but not at each', async () => {
  const { vaultid, visit, page } = await owner('Loft')
  const address = `${stage.appliance.url}/vault/${vaultid}/trash`
  const reads = (): number => visit.asked.filter((asked) => asked === address).length
  const returns = () => page.evaluate('dispatchEvent(new Event("visibilitychange"))')
  const opened = Date.now()
  await page.clock.setFixedTime(opened)
  await visit.open(`/vault/${vaultid}/trash`)
  await page.getByText('The trash is empty.').waitFor()
  const before = reads()
  await returns()
  // A reading that this began would be answered by then, and would not be taken for the next one.
  await page.evaluate(`fetch('${stage.appliance.url}/docs').then((answer) => answer.text())`)
  await page.clock.setFixedTime(opened + 20_000)
  const answered = page.waitForResponse(address)
  await returns()
  await answered
  expect(reads()).toBe(before + 1)
})

it('is read again where another has taken something out of it first, and keeps the focus of the mouse', async () => {
  const { client, vaultid, visit, page } = await owner('Stable')
  let last = ''
  for (const host of ['first.example.test', 'second.example.test', 'third.example.test']) {
    last = await createObject(client, vaultid, { host })
    await client.must('DELETE', `/object/${last}`)
  }
  await visit.open(`/vault/${vaultid}/trash`)
  const third = page.getByRole('button', { name: 'Restore third.example.test' })
  await third.waitFor()
  await client.must('POST', `/object/${last}/undelete`)
  await third.click()
  await page.getByRole('alert').getByText('(1610)').waitFor()
  await third.waitFor({ state: 'detached' })
  await expect.poll(() => visit.focused()).toBe('Restore second.example.test')
  // The first press comes to what has the focus already.
  await page.getByRole('button', { name: 'Restore second.example.test' }).click()
  await expect.poll(() => visit.focused()).toBe('Restore first.example.test')
  visit.complaints.expect(/status of 404/)
})

it('gives back each row that is pressed, also one after another while the first is on its way', async () => {
  const { client, vaultid, folder, visit, page, names } = await owner('Byre')
  await client.must('DELETE', `/object/${folder}`, { children: true })
  const other = await createObject(client, vaultid, { host: 'other.example.test' })
  await client.must('DELETE', `/object/${other}`)
  await visit.open(`/vault/${vaultid}/trash`)
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/undelete', (route) => released.then(() => route.continue()))
  await page.getByRole('button', { name: 'Restore Racks' }).click()
  await page.getByRole('button', { name: 'Restore other.example.test' }).click()
  release()
  await page.getByText('The trash is empty.').waitFor()
  expect((await names()).toSorted()).toEqual([
    'Racks',
    'inner.example.test',
    'other.example.test',
    'outer.example.test',
  ])
})

it('is offered to those alone who may write, and refused to others by its address', async () => {
  const visit = await stage.visitor()
  const { page } = visit
  await visit.arrive(await memberOf(stage.stocked, stage.appliance))
  await visit.open(`/vault/${stage.stocked.vaultid}`)
  await visit.sees('Network')
  expect(await page.getByRole('link', { name: 'Trash' }).count()).toBe(0)
  await visit.open(`/vault/${stage.stocked.vaultid}/trash`)
  await visit.sees('This could not be loaded')
  await page.getByText('(1301)').waitFor()
  visit.complaints.expect(/status of 403/)
})

it.each([
  ['light', 1280],
  ['dark', 360],
] as const)(
  'shows hostile names as texts, in %s colours and %i pixels without a finding of axe-core',
  async (theme, width) => {
    const { client, vaultid, visit, page } = await owner('Crypt', { theme, width })
    for (const host of hostileTexts) {
      const id = await createObject(client, vaultid, { objectname: host, host: 'h.example.test' })
      await client.must('DELETE', `/object/${id}`)
    }
    await visit.open(`/vault/${vaultid}/trash`)
    await visit.sees('Trash of Crypt')
    for (const text of hostileTexts) await page.getByText(text, { exact: true }).first().waitFor()
    expect(await page.evaluate('window.hit')).toBeUndefined()
    await visit.expectSound('trash')
  },
)
