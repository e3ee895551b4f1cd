import { chromium } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { totpCode } from '../support/hardware-token.ts'
import { trustingAppliances } from '../support/pki.ts'
import { memberOf } from './console-vault.ts'
import { consoleStage } from './console-stage.ts'
import { looks } from './looks.ts'

const stage = consoleStage()

it.each(looks)('every view is sound in %s colours, %i pixels wide', async (theme, width) => {
  const visit = await stage.visitor({ theme, width, height: width === 360 ? 720 : 800 })
  const { page } = visit
  const see = async (fragment: string, heading: string): Promise<void> => {
    await visit.open(fragment)
    await visit.sees(heading)
  }
  const user = await memberOf(stage.stocked, stage.appliance)
  await see('/', 'Log in')
  await page.getByLabel('Username').waitFor()
  await visit.expectSound('login')
  await visit.logIn(user)
  await visit.expectSound('vaults')
  await see(`/vault/${stage.stocked.vaultid}`, 'Network')
  await visit.expectSound('vault')
  await see(`/vault/${stage.stocked.vaultid}/${stage.stocked.folder}`, 'Core routers')
  await page.getByRole('searchbox').fill('no such thing')
  await page.getByText('Nothing matches the filter.').waitFor()
  await visit.expectSound('nothing')
  await see(`/object/${stage.stocked.server}`, 'core1.example.test')
  await page.getByRole('button', { name: 'Show Password' }).click()
  await page.getByText('S3cret-pass.phrase').waitFor()
  await page.getByRole('button', { name: 'Copy Password' }).click()
  await page.getByText('Password copied.').waitFor()
  await visit.expectSound('object')
  await see(`/object/${stage.stocked.file}`, 'plan.svg')
  await visit.expectSound('file')
  await see(`/object/${stage.stocked.alarmed}`, 'Break glass')
  await page.getByRole('button', { name: 'Show Note' }).click()
  await page.getByRole('alertdialog').waitFor()
  await visit.expectSound('alarm')
  await page.keyboard.press('Escape')
  await see('/no/such/view', 'Page not found')
  await visit.expectSound('not-found')
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByText('You have logged out.').waitFor()
  await visit.expectSound('logged-out')
})

it('marks where one is, and what is chosen, in forced colours too, which remove all tints', async () => {
  const visit = await stage.visitor()
  const { page } = visit
  await page.emulateMedia({ forcedColors: 'active' })
  await visit.arrive(await stage.appliance.addUser(['read', 'createVault', 'admin', 'active']))
  await visit.open('/administration/users')
  await visit.sees('Users')
  const outlined = (selector: string): Promise<string[]> =>
    page.evaluate(
      `[...document.querySelectorAll('${selector}')].filter((one) => getComputedStyle(one).outlineStyle === 'solid').map((one) => one.textContent)`,
    )
  expect(await outlined('nav a')).toEqual(['Administration', 'Users'])
  await visit.open('/links')
  await page.getByLabel('Secret').waitFor()
  expect(await outlined('.choices label')).toEqual(['1 day'])
})

it('at twice the size of text, no view and no dialog is wider than a telephone, and names are seen', async () => {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', '--disable-gpu', '--blink-settings=defaultFontSize=32', trustingAppliances()],
  })
  onTestFinished(() => browser.close())
  const { appliance, stocked } = stage
  const user = await appliance.addUser(['read', 'createVault', 'admin', 'audit', 'active'])
  await stocked.client.must('POST', `/vault/${stocked.vaultid}/member/${user.id}`, { status: 4 })
  const visit = await stage.visitor({ browser, width: 360, height: 720, locale: 'sv-SE' })
  const { page } = visit
  await visit.open()
  await page.getByLabel('Lösenfras', { exact: true }).waitFor()
  const excess = [['login', await visit.excess()]]
  await page.getByLabel('Användarnamn').fill(user.username)
  await page.getByLabel('Lösenfras', { exact: true }).fill(user.passphrase)
  await page.getByLabel('Applikationsnyckel').fill(appliance.applicationKey)
  await page.getByLabel('Kod från appen').fill(totpCode(user.totpSecret))
  await page.getByRole('button', { name: 'Logga in' }).click()
  await visit.sees('Valv')
  const name = page.getByRole('link', { name: /^Network/ }).getByText('Network')
  expect((await name.boundingBox())?.width).toBeGreaterThan(100)
  const views = [
    ['/', 'Valv'],
    [`/vault/${stocked.vaultid}`, 'Network'],
    [`/vault/${stocked.vaultid}/about`, 'Om Network'],
    [`/vault/${stocked.vaultid}/keys`, 'Nycklar i Network'],
    [`/object/${stocked.server}`, 'core1.example.test'],
    [`/object/${stocked.file}`, 'plan.svg'],
    ['/me', 'Ditt konto'],
    ['/administration/users', 'Användare'],
    ['/administration/services', 'Tjänstekonton'],
    ['/administration/audit', 'Granskningslogg'],
    ['/administration/state', 'Status'],
    ['/exchange', 'Import och export'],
  ] as const
  for (const [fragment, heading] of views) {
    await visit.open(fragment)
    await visit.sees(heading)
    excess.push([fragment, await visit.excess()])
  }
  await visit.open('/administration/users')
  await page.getByRole('button', { name: 'Ny användare' }).click()
  await page.getByRole('dialog').waitFor()
  excess.push([
    'dialog',
    await page.evaluate(
      `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.modal'))`,
    ),
  ])
  expect(excess.filter(([, pixels]) => Number(pixels) > 0)).toEqual([])
})
