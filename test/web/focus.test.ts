import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createObject } from '../support/object-kit.ts'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

const press = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('button', { name, exact: true }).focus()
  await page.keyboard.press('Enter')
}

it('goes from a row that is gone to the next, from the last to the one before, and then to the heading', async () => {
  const { client, vaultid, visit, page } = await stage.visitingOwner('Attic')
  for (const objectname of ['one', 'three', 'two']) {
    const id = await createObject(client, vaultid, { objectname, host: 'h.example.test' })
    await client.must('PUT', `/object/${id}/favourite`, { favourite: true })
  }
  await page.reload()
  const off = (name: string): string => `Remove ${name} from favourites`
  await page.getByRole('region', { name: 'Favourites' }).waitFor()
  await press(page, off('three'))
  await expect.poll(() => visit.focused()).toBe(off('two'))
  await page.keyboard.press('Enter')
  await expect.poll(() => visit.focused()).toBe(off('one'))
  await page.keyboard.press('Enter')
  await expect.poll(() => visit.focused()).toBe('Vaults')
})

it('goes on behind a question whose row is gone when it closes', async () => {
  const { client, vaultid, visit, page } = await stage.visitingOwner('Cellar')
  const others = [await stage.appliance.addUser(), await stage.appliance.addUser()]
  for (const { id } of others) await client.must('POST', `/vault/${vaultid}/member/${id}`, { status: 1 })
  await visit.open(`/vault/${vaultid}/about`)
  await visit.sees('About Cellar')
  const removals = page.getByRole('button', { name: /^Remove / })
  await removals.first().waitFor()
  const [first = '', second = ''] = await removals.evaluateAll((found) => found.map((one) => one.ariaLabel ?? ''))
  await press(page, first)
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => visit.focused()).toBe(second)
})

it('goes to the heading of the list where its last row is gone, and stays where a person has gone meanwhile', async () => {
  const { client, vaultid, visit, page } = await stage.visitingOwner('Loft')
  for (const host of ['left.example.test', 'right.example.test'])
    await client.must('DELETE', `/object/${await createObject(client, vaultid, { host })}`)
  await visit.open(`/vault/${vaultid}/trash`)
  await visit.sees('Trash of Loft')
  await press(page, 'Restore right.example.test')
  await expect.poll(() => visit.focused()).toBe('Restore left.example.test')
  let answer = (): void => undefined
  const answered = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/undelete', async (route) => {
    await answered
    await route.continue()
  })
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Loft' }).focus()
  answer()
  await page.getByText('The trash is empty.').waitFor()
  expect(await visit.focused()).toBe('Loft')
  await client.must('DELETE', `/object/${await createObject(client, vaultid, { host: 'middle.example.test' })}`)
  await page.reload()
  await press(page, 'Restore middle.example.test')
  await page.getByText('The trash is empty.').waitFor()
  await expect.poll(() => visit.focused()).toBe('Trash of Loft')
})

it('goes to the heading of the sessions as the others end, and to that of the vault as what was chosen is deleted', async () => {
  const { user, vaultid, visit, page } = await stage.visitingOwner('Porch')
  await stage.appliance.login(user)
  await visit.open('/me')
  await press(page, 'End all other sessions')
  await expect.poll(() => page.getByRole('button', { name: 'End all other sessions' }).count()).toBe(0)
  await expect.poll(() => visit.focused()).toBe('Sessions')
  await createObject(await stage.appliance.login(user), vaultid, { host: 'gone.example.test' })
  await visit.open(`/vault/${vaultid}`)
  await page.getByRole('checkbox', { name: 'Select gone.example.test' }).check()
  await press(page, 'Delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
  await visit.hears('1 object deleted.')
  await expect.poll(() => visit.focused()).toBe('Porch')
})
