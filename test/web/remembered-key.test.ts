import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { totpCode } from '../support/hardware-token.ts'
import type { TestUser } from '../support/appliance.ts'
import type { Visit } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

const keyField = ({ page }: Visit) => page.getByLabel('Application key')
const tick = ({ page }: Visit) => page.getByRole('checkbox', { name: 'Remember this key in this browser' })
const storage = ({ page }: Visit): Promise<string> => page.evaluate('JSON.stringify(localStorage)')

/** With what the field of the application key holds. */
async function logInByWhatIsThere({ page }: Visit, user: TestUser): Promise<void> {
  await page.getByLabel('Username').fill(user.username)
  await page.getByLabel('Pass phrase', { exact: true }).fill(user.passphrase)
  await page.getByLabel('Code from the app').fill(totpCode(user.totpSecret))
  await page.getByRole('button', { name: 'Log in' }).click()
}

async function logOut(visit: Visit): Promise<void> {
  const heard = visit.page.waitForResponse('**/auth/logout')
  await visit.page.getByRole('button', { name: 'Log out' }).click()
  await visit.sees('Log in')
  await heard
  await isOver(visit)
}

/** Holds calls back, until the result is called. */
async function hold(page: Page, address: string): Promise<() => void> {
  let letGo: () => void = () => undefined
  const held = new Promise<void>((resolve) => (letGo = resolve))
  await page.route(address, async (route) => {
    await held
    await route.continue()
  })
  return letGo
}

/** The logout, whose answer has cleared the storage. */
const isOver = (visit: Visit) => expect.poll(() => storage(visit)).not.toContain('strongroom.leaving')

it('of a login that went well, where that is wanted, for whoever logs in next, and with no one else named', async () => {
  const { applicationKey } = stage.appliance
  const user = await stage.appliance.addUser()
  const visit = await stage.visitor()
  const { page } = visit
  await visit.open()
  expect(await tick(visit).isChecked()).toBe(false)
  await visit.fillIn(await stage.appliance.addUser())
  await visit.sees('Vaults')
  expect(await storage(visit)).not.toContain(applicationKey)
  await logOut(visit)

  // One that is refused is not remembered.
  await tick(visit).check()
  await visit.fillIn(user, '000000')
  await page.getByRole('alert').waitFor()
  expect(await storage(visit)).not.toContain(applicationKey)
  await visit.fillIn(user)
  await visit.sees('Vaults')
  await expect.poll(() => storage(visit)).toContain(applicationKey)
  await logOut(visit)

  // The answer to the logout has cleared it with all else, and the page has written it again.
  await expect.poll(() => storage(visit)).toContain(applicationKey)
  const kept = await storage(visit)
  for (const secret of [user.passphrase, user.username, user.totpSecret]) expect(kept).not.toContain(secret)
  await page.reload()
  await visit.sees('Log in')
  expect(await keyField(visit).inputValue()).toBe(applicationKey)
  expect(await keyField(visit).getAttribute('type')).toBe('password')
  expect(await keyField(visit).getAttribute('autocomplete')).toBe('off')
  expect(await page.getByLabel('Username').inputValue()).toBe('')
  expect(await page.getByLabel('Pass phrase', { exact: true }).inputValue()).toBe('')
  await visit.expectSound('login-remembered')
  await logInByWhatIsThere(visit, await stage.appliance.addUser())
  await visit.sees('Vaults')
  visit.complaints.expect(/status of 403/)
})

it('is forgotten as the tick is taken away, also while a logout is under way', async () => {
  const { applicationKey } = stage.appliance
  const user = await stage.appliance.addUser()
  const visit = await stage.visitor({ theme: 'dark', width: 360 })
  const { page } = visit
  await visit.open()
  await tick(visit).check()
  await visit.fillIn(user)
  await visit.sees('Vaults')
  await expect.poll(() => storage(visit)).toContain(applicationKey)

  const letGo = await hold(page, '**/auth/logout')
  const heard = page.waitForResponse('**/auth/logout')
  await page.getByRole('button', { name: 'Log out' }).click()
  await visit.sees('Log in')
  expect(await keyField(visit).inputValue()).toBe(applicationKey)
  await visit.expectSound('login-remembered')
  await tick(visit).uncheck()
  expect(await storage(visit)).not.toContain(applicationKey)
  letGo()
  await heard
  await isOver(visit)
  // The logout has written it back, and the page forgets it again as soon as its turn comes.
  await expect.poll(() => storage(visit)).not.toContain(applicationKey)
  await page.reload()
  await visit.sees('Log in')
  expect(await tick(visit).isChecked()).toBe(false)
  expect(await keyField(visit).inputValue()).toBe('')
})

it('is as the tick is when the login is answered, and not as it was when it was sent', async () => {
  const { applicationKey } = stage.appliance
  const visit = await stage.visitor()
  await visit.open()
  for (const isWanted of [false, true]) {
    const user = await stage.appliance.addUser()
    await tick(visit).setChecked(!isWanted)
    const letGo = await hold(visit.page, '**/auth')
    await visit.fillIn(user)
    await visit.page.getByRole('button', { name: 'Logging in' }).waitFor()
    await tick(visit).setChecked(isWanted)
    letGo()
    await visit.sees('Vaults')
    await expect.poll(async () => (await storage(visit)).includes(applicationKey)).toBe(isWanted)
    await visit.page.unroute('**/auth')
    await logOut(visit)
  }
})

it('is forgotten as the tick is taken away in another tab than that of the logout', async () => {
  const { applicationKey } = stage.appliance
  const visit = await stage.visitor()
  const { page } = visit
  await visit.open()
  await tick(visit).check()
  await visit.fillIn(await stage.appliance.addUser())
  await visit.sees('Vaults')
  await expect.poll(() => storage(visit)).toContain(applicationKey)
  const other = await page.context().newPage()
  await other.goto(page.url())
  // From then on it hears of the logout.
  await other.getByRole('heading', { name: 'Vaults', exact: true }).waitFor()
  const letGo = await hold(page, '**/auth/logout')
  const heard = page.waitForResponse('**/auth/logout')
  await page.getByRole('button', { name: 'Log out' }).click()
  await other.getByRole('checkbox', { name: 'Remember this key in this browser' }).uncheck()
  expect(await storage(visit)).not.toContain(applicationKey)
  letGo()
  await heard
  // Behind all that either tab does in turn.
  await page.evaluate("navigator.locks.request('strongroom.session', () => undefined)")
  expect(await storage(visit)).not.toContain(applicationKey)
  await other.reload()
  const field = other.getByLabel('Application key')
  await field.waitFor()
  expect(await field.inputValue()).toBe('')
})
