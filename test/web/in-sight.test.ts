import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createObject } from '../support/object-kit.ts'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()
const phone = { width: 360, height: 640 }

/** Whether all of an element lies in the window, below the header of the page. */
async function isInSight(element: Locator): Promise<boolean> {
  const [box, header] = [await element.boundingBox(), await element.page().getByRole('banner').boundingBox()]
  const top = header === null ? 0 : header.y + header.height
  return box !== null && box.y >= top && box.y + box.height <= phone.height
}

it('shows on a phone why a login is refused, beside the code that is to be typed again', async () => {
  const visit = await stage.visitor(phone)
  await visit.open()
  await visit.fillIn(await stage.appliance.addUser(), '000000')
  const refusal = visit.page.getByRole('alert')
  await refusal.getByText('(1201)').waitFor()
  await expect.poll(() => isInSight(refusal)).toBe(true)
  expect(await visit.focused()).toBe('Code from the app')
  expect(await isInSight(visit.page.getByLabel('Code from the app'))).toBe(true)
  visit.complaints.expect(/status of 403/)
})

it.each(['Enter in its first field', 'its button'])(
  'shows why a long form is refused that was sent by %s',
  async (way) => {
    const visit = await stage.visitor(phone)
    const { page } = visit
    await visit.logIn(await stage.appliance.addUser(['read', 'admin', 'active']))
    await visit.open('/administration/users')
    await page.getByRole('button', { name: 'New user' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Username').fill(stage.stocked.user.username)
    await dialog.getByLabel('Email').fill('short@example.test')
    await dialog.getByLabel('Initial pass phrase').fill('Several unrelated words, 7')
    await dialog.getByLabel('Full name').fill('Bo Short')
    if (way === 'its button') await dialog.getByRole('button', { name: 'Create' }).click()
    else await page.keyboard.press('Enter')
    const refusal = dialog.getByRole('alert')
    await refusal.getByText('(1701)').waitFor()
    await expect.poll(() => isInSight(refusal)).toBe(true)
    visit.complaints.expect(/status of 409/)
  },
)

/** The names of what has the focus behind the header, by this key through the whole page. */
async function hiddenBy(key: string, page: Page): Promise<string[]> {
  const hidden: string[] = []
  for (let presses = 0; presses < 25; presses += 1) {
    await page.keyboard.press(key)
    const focused = page.locator('main :focus')
    if ((await focused.count()) > 0 && !(await isInSight(focused)))
      hidden.push(await focused.evaluate((one) => one.outerHTML))
  }
  return hidden
}

it('never leaves behind the header of the page what has the focus', async () => {
  const visit = await stage.member(phone)
  await visit.open('/me')
  await visit.page.getByRole('button', { name: 'Add authenticator app' }).waitFor()
  expect(await hiddenBy('Tab', visit.page)).toEqual([])
  expect(await hiddenBy('Shift+Tab', visit.page)).toEqual([])
})

it('keeps the distance of a row from the edge of its list, whatever views were loaded', async () => {
  const { user, client, vaultid } = await stage.owner('Shed')
  await client.must('DELETE', `/object/${await createObject(client, vaultid, { host: 'old.example.test' })}`)
  const visit = await stage.visitor()
  await visit.logIn(user)
  await visit.open('/me')
  await visit.sees('Your account')
  await visit.open(`/vault/${vaultid}/trash`)
  await visit.page.getByText('old.example.test').waitFor()
  const distance = await visit.page.evaluate(
    "parseFloat(getComputedStyle(document.querySelector('.items li')).paddingLeft)",
  )
  expect(distance).toBeGreaterThan(8)
})
