import { expect, it } from 'vitest'
import { totpCode } from '../support/hardware-token.ts'
import { memberOf } from './console-vault.ts'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

it('a person logs in, finds a secret, shows and copies it, and logs out by the keyboard alone', async () => {
  const user = await memberOf(stage.stocked, stage.appliance)
  const visit = await stage.visitor()
  const { page } = visit
  const focused = (): Promise<string> =>
    page.evaluate(`(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim()`)
  /** Goes on by Tab to what has this name, and sees that the focus can be seen on the way. */
  const tabTo = async (name: string | RegExp): Promise<void> => {
    for (let steps = 0; steps < 30; steps++) {
      await page.keyboard.press('Tab')
      const text = await focused()
      if (typeof name === 'string' ? text === name : name.test(text)) return
    }
    throw new Error(`Tab does not come to ${String(name)}, but to ${await focused()}`)
  }

  await visit.open()
  await page.getByLabel('Username').waitFor()
  await page.keyboard.type(user.username)
  await page.keyboard.press('Tab')
  await page.keyboard.type(user.passphrase)
  await page.keyboard.press('Tab')
  await page.keyboard.type(stage.appliance.applicationKey)
  // Past the question whether the browser is to remember it.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type(totpCode(user.totpSecret))
  await page.keyboard.press('Enter')
  await visit.sees('Vaults')
  // The heading has the focus: the way goes on from it.
  expect(await focused()).toBe('Vaults')
  await tabTo(/^Network/)
  await page.keyboard.press('Enter')
  await visit.sees('Network')
  await tabTo('Filter by name and open fields')
  await page.keyboard.type('core1')
  await page.getByText('1 of 11 objects').waitFor()
  await tabTo('core1.example.test')
  await page.keyboard.press('Enter')
  await visit.sees('core1.example.test')
  await tabTo('Show Password')
  await page.keyboard.press('Enter')
  await page.getByText('S3cret-pass.phrase').waitFor()
  expect(await focused()).toBe('Hide Password')
  await tabTo('Copy Password')
  await page.keyboard.press('Space')
  await page.getByText('Password is copied.').waitFor()
  await tabTo('Empty it now')
  await page.keyboard.press('Enter')
  await page.getByText('The clipboard has been emptied.').waitFor()
  await tabTo('Log out')
  await page.keyboard.press('Enter')
  await page.getByText('You are logged out.').waitFor()
})

it('folders and rows are gone through by arrows', async () => {
  const visit = await stage.visitor()
  const { page } = visit
  await visit.logIn(await memberOf(stage.stocked, stage.appliance))
  await visit.open(`/vault/${stage.stocked.vaultid}`)
  await visit.sees('Network')
  await page.getByRole('treegrid', { name: 'Folders' }).getByRole('row', { name: 'Network' }).focus()
  await page.keyboard.press('ArrowDown')
  await visit.sees('Core routers')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowDown')
  await visit.sees('Hall B')
  await visit.open(`/vault/${stage.stocked.vaultid}`)
  await visit.sees('Network')
  await page.getByRole('grid', { name: 'Network' }).getByRole('link', { name: 'Core routers' }).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Break glass')
  await page.keyboard.press('ArrowRight')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Quicknote')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowDown')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Quicknote')
  await page.keyboard.press('Enter')
  await visit.sees('Break glass')
})
