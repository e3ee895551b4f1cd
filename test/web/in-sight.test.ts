import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { totpCode } from '../support/hardware-token.ts'
import { createObject } from '../support/object-kit.ts'
import type { Visit } from './browser-kit.ts'
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

async function newUserDialog(visit: Visit): Promise<Locator> {
  await visit.arrive(await stage.appliance.addUser(['read', 'admin', 'active']))
  await visit.open('/administration/users')
  await visit.page.getByRole('button', { name: 'New user' }).click()
  return visit.page.getByRole('dialog')
}

it.each(['Enter in its first field', 'its button'])(
  'shows why a long form is refused that was sent by %s',
  async (way) => {
    const visit = await stage.visitor(phone)
    const { page } = visit
    const dialog = await newUserDialog(visit)
    await dialog.getByLabel('Username').fill(stage.stocked.user.username)
    await dialog.getByLabel('Email').fill('short@example.test')
    await dialog.getByLabel('Initial pass phrase', { exact: true }).fill('Several unrelated words, 7')
    await dialog.getByLabel('Full name').fill('Bo Short')
    if (way === 'its button') await dialog.getByRole('button', { name: 'Create' }).click()
    else await page.keyboard.press('Enter')
    const refusal = dialog.getByRole('alert')
    await refusal.getByText('(1701)').waitFor()
    await expect.poll(() => isInSight(refusal)).toBe(true)
    visit.complaints.expect(/status of 409/)
  },
)

it('keeps the buttons of a long form in sight, and above them what has the focus', async () => {
  const visit = await stage.visitor(phone)
  const { page } = visit
  const dialog = await newUserDialog(visit)
  const create = dialog.getByRole('button', { name: 'Create' })
  await dialog.getByLabel('Full name').waitFor()
  const names: string[] = []
  while (!names.includes('Create')) {
    expect(await isInSight(create)).toBe(true)
    const isSeen = await page.evaluate(`{
      const buttons = document.querySelector('.dialog .buttons')
      const focused = document.activeElement.closest('label') ?? document.activeElement
      const lowest = buttons.contains(focused) ? innerHeight : buttons.getBoundingClientRect().top
      focused.getBoundingClientRect().bottom <= lowest
    }`)
    const focused = await visit.focused()
    expect({ focused, isSeen }).toEqual({ focused, isSeen: true })
    names.push(focused)
    await page.keyboard.press('Tab')
  }
  expect(names).toContain('Must change the pass phrase')
})

it('leaves the buttons of a dialog uncovered by what the page says of the clipboard', async () => {
  const { user, client, vaultid } = await stage.owner('Pier')
  const object = await createObject(client, vaultid, { host: 'pier.example.test', password: 'S3cret' })
  const visit = await stage.visitor({ width: 360, height: 400 })
  const { page } = visit
  await visit.arrive(user)
  await visit.open(`/object/${object}`)
  await page.getByRole('button', { name: 'Copy Password' }).click()
  await page.getByRole('button', { name: 'Clear now' }).waitFor()
  await page.getByRole('button', { name: 'Move' }).press('Enter')
  const buttons = page.getByRole('dialog').locator('.buttons')
  await buttons.waitFor()
  const boxes = [buttons, page.locator('.notices .card').last()].map((one) => one.boundingBox())
  const [ofButtons, ofNotice] = await Promise.all(boxes)
  expect(ofNotice?.height).toBeGreaterThan(0)
  expect((ofNotice?.y ?? 0) + (ofNotice?.height ?? 0)).toBeLessThanOrEqual(ofButtons?.y ?? 0)
})

it.each([
  [360, 640],
  [320, 256],
])(
  'leaves uncovered what gets the focus while the clipboard holds a secret, at %i by %i pixels',
  async (width, height) => {
    const visit = await stage.member({ width, height })
    const { page } = visit
    await visit.open(`/object/${stage.stocked.server}`)
    await page.getByRole('button', { name: 'Copy Password' }).click()
    await page.getByRole('button', { name: 'Clear now' }).waitFor()
    const covered: unknown[] = []
    const places = new Set<unknown>()
    for (let presses = 0; presses < 50; presses += 1) {
      await page.keyboard.press(presses < 25 ? 'Tab' : 'Shift+Tab')
      const [name, by] = await page.evaluate<[string, number]>(`{
      const focused = document.querySelector('main :focus')
      const notice = [...document.querySelectorAll('.notices .card')].at(-1)
      focused && notice
        ? [focused.outerHTML, focused.getBoundingClientRect().bottom - notice.getBoundingClientRect().top]
        : ['', 0]
    }`)
      places.add(name)
      if (by > 0) covered.push([name, by])
    }
    expect(places.size).toBeGreaterThan(6)
    expect(covered).toEqual([])
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

it.each(['en-GB', 'sv-SE'])('shows the whole main menu at every width, in %s', async (locale) => {
  const visit = await stage.visitor({ locale })
  const { page } = visit
  await visit.open()
  const user = await stage.appliance.addUser(['read', 'admin', 'active'])
  await page.locator('[name=username]').fill(user.username)
  await page.locator('[name=passphrase]').fill(user.passphrase)
  await page.locator('[name=apikey]').fill(stage.appliance.applicationKey)
  await page.locator('[name=otp]').fill(totpCode(user.totpSecret))
  await page.keyboard.press('Enter')
  const menu = page.locator('nav.places')
  await menu.waitFor()
  for (const width of [320, 360, 641, 768, 993, 1024, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    expect({ width, hidden: await menu.evaluate((nav) => nav.scrollWidth - nav.clientWidth) }).toEqual({
      width,
      hidden: 0,
    })
  }
})

it('leaves a low window, as that of four times the size, to what is read', async () => {
  const visit = await stage.member({ width: 320, height: 256 })
  await visit.open('/me')
  const last = visit.page.getByRole('main').getByRole('button').last()
  await last.waitFor()
  await last.focus()
  const header = await visit.page.getByRole('banner').boundingBox()
  expect((header?.y ?? 0) + (header?.height ?? 0)).toBeLessThanOrEqual(0)
})

it('keeps the distance of a row from the edge of its list, whatever views were loaded', async () => {
  const { user, client, vaultid } = await stage.owner('Shed')
  await client.must('DELETE', `/object/${await createObject(client, vaultid, { host: 'old.example.test' })}`)
  const visit = await stage.visitor()
  await visit.arrive(user)
  await visit.open('/me')
  await visit.sees('Your account')
  await visit.open(`/vault/${vaultid}/trash`)
  await visit.page.getByText('old.example.test').waitFor()
  const distance = await visit.page.evaluate(
    "parseFloat(getComputedStyle(document.querySelector('.items li')).paddingLeft)",
  )
  expect(distance).toBeGreaterThan(8)
})

it.each([1280, 360])('breaks no word of a name for the buttons beside it, at %i pixels', async (width) => {
  const visit = await stage.writer({ width })
  const { page } = visit
  await visit.open(`/object/${stage.stocked.server}`)
  await visit.sees('core1.example.test')
  const lines: number = await page.evaluate(`{
    const range = document.createRange()
    range.selectNodeContents(document.querySelector('h1'))
    new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
  }`)
  expect(lines).toBe(1)
  expect(await visit.excess()).toBeLessThanOrEqual(0)
})
