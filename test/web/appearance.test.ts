import { mkdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance } from '../support/appliance.ts'
import { closeBrowser, Visit } from './browser-kit.ts'
import { memberOf, stock, type Stocked } from './console-vault.ts'

/** Where pictures of each view are put; nowhere without. */
const pictures = process.env['STRONGROOM_PICTURES']

let appliance: TestAppliance
let stocked: Stocked
beforeAll(async () => {
  if (pictures !== undefined) mkdirSync(pictures, { recursive: true })
  appliance = await TestAppliance.start()
  stocked = await stock(appliance)
})
afterAll(async () => {
  await closeBrowser()
  await appliance.close()
})

describe.each(['light', 'dark'] as const)('every view in %s colours', (theme) => {
  it.each([1280, 360])('is without a finding of axe-core, and %i pixels are wide enough', async (width) => {
    const visit = await Visit.start(appliance, { theme, width, height: width === 360 ? 720 : 800 })
    const { page } = visit
    const look = async (name: string): Promise<void> => {
      expect({ name, findings: await visit.findings(), excess: await visit.excess() }).toMatchObject({
        name,
        findings: [],
      })
      expect(await visit.excess()).toBeLessThanOrEqual(0)
      if (pictures !== undefined) await page.screenshot({ path: `${pictures}/${name}-${theme}-${width}.png` })
    }
    const see = async (fragment: string, heading: string): Promise<void> => {
      await visit.open(fragment)
      await visit.sees(heading)
    }
    const user = await memberOf(stocked, appliance)
    await see('/', 'Log in')
    await page.getByLabel('Username').waitFor()
    await look('login')
    await visit.logIn(user)
    await look('vaults')
    await see(`/vault/${stocked.vaultid}`, 'Network')
    await look('vault')
    await see(`/vault/${stocked.vaultid}/${stocked.folder}`, 'Core routers')
    await page.getByRole('searchbox').fill('no such thing')
    await page.getByText('Nothing fits the filter.').waitFor()
    await look('nothing')
    await see(`/object/${stocked.server}`, 'core1.example.test')
    await page.getByRole('button', { name: 'Show Password' }).click()
    await page.getByText('S3cret-pass.phrase').waitFor()
    await page.getByRole('button', { name: 'Copy Password' }).click()
    await page.getByText('Password is copied.').waitFor()
    await look('object')
    await see(`/object/${stocked.file}`, 'plan.svg')
    await look('file')
    await see(`/object/${stocked.alarmed}`, 'Break glass')
    await page.getByRole('button', { name: 'Show Note' }).click()
    await page.getByRole('alertdialog').waitFor()
    await look('alarm')
    await page.keyboard.press('Escape')
    await see('/no/such/view', 'There is nothing here')
    await look('not-found')
    visit.expectPeace()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByText('You are logged out.').waitFor()
    await look('logged-out')
    await visit.close()
  })
})
