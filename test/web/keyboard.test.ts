import type { FileChooser } from 'playwright-core'
import { expect, it } from 'vitest'
import { totpCode } from '../support/hardware-token.ts'
import { memberOf } from './console-vault.ts'
import type { Visit } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'
import { beforeImport } from './import-kit.ts'

const stage = consoleStage()

it('a person logs in, finds a secret, shows and copies it, and logs out by the keyboard alone', async () => {
  const user = await memberOf(stage.stocked, stage.appliance)
  const visit = await stage.visitor()
  const { page } = visit
  await visit.open()
  await page.getByLabel('Username').waitFor()
  await page.keyboard.type(user.username)
  await page.keyboard.press('Tab')
  await page.keyboard.type(user.passphrase)
  // Past the button that shows it.
  await page.keyboard.press('Tab')
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
  await expect.poll(() => visit.focused()).toBe('Vaults')
  await visit.tabTo(/^Network/)
  await page.keyboard.press('Enter')
  await visit.sees('Network')
  await visit.tabTo('Filter by name or unencrypted field')
  await page.keyboard.type('core1')
  await page.getByText('1 of 11 objects').waitFor()
  await visit.tabTo('core1.example.test')
  await page.keyboard.press('Enter')
  await visit.sees('core1.example.test')
  await visit.tabTo('Show Password')
  await page.keyboard.press('Enter')
  await page.getByText('S3cret-pass.phrase').waitFor()
  expect(await visit.focused()).toBe('Hide Password')
  await visit.tabTo('Copy Password')
  await page.keyboard.press('Space')
  await page.getByText('Password copied.').waitFor()
  await visit.tabTo('Clear now')
  await page.keyboard.press('Enter')
  await visit.hears('Clipboard cleared.')
  await visit.tabTo('Log out')
  await page.keyboard.press('Enter')
  await page.getByText('You have logged out.').waitFor()
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

/** The browser's own dialog, opened from the button that has the focus, and keeps it: one presses again where nothing comes. */
async function openChooser(visit: Visit): Promise<FileChooser> {
  const { page } = visit
  const name = await visit.focused()
  for (let presses = 1; ; presses += 1) {
    const opened = page.waitForEvent('filechooser', { timeout: 10_000 }).catch(() => undefined)
    await page.keyboard.press('Enter')
    const chooser = await opened
    if (chooser !== undefined) return chooser
    expect({ focused: await visit.focused(), isOver: presses === 3 }).toEqual({ focused: name, isOver: false })
  }
}

it('a file is uploaded by the keyboard alone', async () => {
  const { user, vaultid, client } = await stage.owner('Drawings')
  const visit = await stage.visitor()
  const { page } = visit
  await visit.logIn(user)
  await visit.open(`/vault/${vaultid}/0/new`)
  await visit.sees('New object')
  await visit.tabTo('Search templates')
  await page.keyboard.type('drawing')
  await page.getByText('No templates match your search.').waitFor()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('description')
  await visit.tabTo(/^File/)
  await page.keyboard.press('Enter')
  await visit.tabTo('Choose a file')
  const chooser = await openChooser(visit)
  await chooser.setFiles({ name: 'hall.txt', mimeType: 'text/plain', buffer: Buffer.from('north is up') })
  await page.getByText('hall.txt', { exact: true }).waitFor()
  await visit.tabTo(/^Description/)
  await page.keyboard.type('Of the hall')
  await visit.tabTo('Create')
  await page.keyboard.press('Enter')
  await visit.sees('Drawings')
  await page.getByRole('link', { name: 'hall.txt' }).waitFor()
  const { OBJECTS } = await client.must('GET', `/vault/${vaultid}`)
  expect(OBJECTS).toMatchObject([{ filename: 'hall.txt', public: { description: 'Of the hall' } }])
})

it('a table is imported by the keyboard alone', async () => {
  const { visit, page, objects } = await beforeImport(stage)
  await visit.tabTo('Choose a file')
  const chooser = await openChooser(visit)
  const buffer = Buffer.from('name,username,password\nMail,ann,pw-1\n')
  await chooser.setFiles({ name: 'export.csv', mimeType: 'text/csv', buffer })
  await page.getByText('1 object', { exact: true }).waitFor()
  await visit.tabTo('Import 1 object')
  await page.keyboard.press('Enter')
  await visit.hears('1 object imported.')
  expect((await objects()).map(({ objectname }) => objectname)).toEqual(['Mail'])
})

it('a one-time link is made and opened by the keyboard alone', async () => {
  const maker = await stage.member()
  await maker.open('/links')
  await maker.sees('One-time links')
  await maker.page.getByLabel('Secret').waitFor()
  await maker.tabTo(/^Secret/)
  await maker.page.keyboard.type('The door is 4711')
  await maker.tabTo('Create link')
  await maker.page.keyboard.press('Enter')
  const made = maker.page.getByRole('status', { name: 'Your link' })
  await made.waitFor()
  const receiver = await stage.visitor()
  await receiver.page.goto((await made.textContent()) ?? '')
  await receiver.sees('A secret for you')
  await receiver.tabTo('Show the secret')
  await receiver.page.keyboard.press('Enter')
  await expect.poll(() => receiver.page.getByRole('status', { name: 'Secret' }).textContent()).toBe('The door is 4711')
})
