import { describe, it } from 'vitest'
import { memberOf } from './console-vault.ts'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

describe.each(['light', 'dark'] as const)('every view in %s colours', (theme) => {
  it.each([1280, 360])('is without a finding of axe-core, and %i pixels are wide enough', async (width) => {
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
})
