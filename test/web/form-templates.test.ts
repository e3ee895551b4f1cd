import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { examineTemplate } from '../../src/features/templates/template-document.ts'
import { consoleStage } from './console-stage.ts'
import { hostileTexts } from './hostile-corpus.ts'
import { looks } from './looks.ts'

const stage = consoleStage()

it("templates are changed before one's eyes, and leave as a file that the command line takes", async () => {
  const visit = await stage.visitor()
  await visit.arrive(await stage.appliance.addUser(['read', 'createVault', 'admin', 'active']))
  const { page } = visit
  await visit.open('/administration/policies')
  await visit.sees('Policies')
  await page.getByText('Minimum length: 14').waitFor()
  await visit.open('/administration/templates')
  await visit.sees('Templates')
  await page
    .getByRole('link', { name: /Server/ })
    .first()
    .click()
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.waitFor()
  await page.getByLabel('Template name').fill('Router')
  await preview.getByText('Router').waitFor()
  const first = page.locator('.draft-fields > li').first()
  for (const text of hostileTexts.filter(({ length }) => length <= 64)) {
    await first.getByLabel('Label', { exact: true }).fill(text)
    await preview.getByText(text, { exact: true }).waitFor()
  }
  await first.getByLabel('Label', { exact: true }).fill('Address')
  await page.getByRole('button', { name: 'Move Address down' }).click()
  await expect
    .poll(() => preview.locator('label').allTextContents())
    .toEqual(expect.arrayContaining([expect.any(String), 'Address']))
  expect((await preview.locator('label').allTextContents()).indexOf('Address')).toBe(1)
  await page.getByRole('button', { name: 'Add field' }).click()
  const last = page.locator('.draft-fields > li').last()
  await last.getByLabel('Label', { exact: true }).fill('Enable secret')
  // Of two fields with one name the file would have one.
  const name = last.getByLabel('Name', { exact: true })
  const save = page.getByRole('button', { name: 'Save as file' })
  await name.fill(await first.getByLabel('Name', { exact: true }).inputValue())
  await last.getByText('Another field already has this name. Choose a different one.').waitFor()
  expect(await save.isDisabled()).toBe(true)
  await name.fill('enable')
  await last.getByText('Another field already has this name. Choose a different one.').waitFor({ state: 'detached' })
  await last.getByLabel('Type').selectOption('text-passwdgen')
  await preview.getByText('Enable secret', { exact: true }).waitFor()
  let saved = 0
  page.on('download', () => (saved += 1))
  await page.getByLabel('Template name').fill('x'.repeat(65))
  await save.click()
  await page.getByText('This text has 65 characters. Use 64 at most.').waitFor()
  await page.getByLabel('Template name').fill('Router')
  const [download] = await Promise.all([page.waitForEvent('download'), save.click()])
  expect(saved).toBe(1)
  const document: unknown = JSON.parse(readFileSync(await download.path(), 'utf8'))
  expect(examineTemplate(document)).toMatchObject({
    template: {
      name: 'Router',
      fields: expect.arrayContaining([expect.objectContaining({ name: 'enable', encrypted: true })]),
    },
  })
  expect(await page.evaluate('window.hit')).toBeUndefined()
  await page.getByText(`strongroom template add ${download.suggestedFilename()}`).waitFor()
})

it('asks before a template is left that was changed and not saved as a file', async () => {
  const visit = await stage.visitor()
  await visit.arrive(await stage.appliance.addUser(['read', 'createVault', 'admin', 'active']))
  const { page } = visit
  await visit.open('/administration/templates')
  await page
    .getByRole('link', { name: /Server/ })
    .first()
    .click()
  const name = page.getByLabel('Template name')
  await name.fill('Router')
  const leave = (): Promise<void> =>
    page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Vaults' }).click()
  await leave()
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
  await question.getByRole('button', { name: 'Stay on this page' }).click()
  expect(await name.inputValue()).toBe('Router')
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as file' }).click()
  await saving
  await leave()
  await visit.sees('Vaults')
})

it.each(looks)('policies and templates are sound in %s colours, %i pixels wide', async (theme, width) => {
  const visit = await stage.visitor({ theme, width, height: width === 360 ? 720 : 900 })
  const { page } = visit
  await visit.arrive(await stage.appliance.addUser(['read', 'createVault', 'admin', 'active']))
  await visit.open('/administration/policies')
  await visit.sees('Policies')
  await visit.expectSound('administration-policies')
  await visit.open('/administration/templates')
  await visit.sees('Templates')
  await visit.expectSound('administration-templates')
  await page
    .getByRole('link', { name: /Server/ })
    .first()
    .click()
  await page.getByRole('region', { name: 'Preview' }).waitFor()
  await visit.expectSound('administration-template')
})

it('the buttons of a field stand beside each other on a phone', async () => {
  const visit = await stage.visitor({ width: 360 })
  await visit.arrive(await stage.appliance.addUser(['read', 'createVault', 'admin', 'active']))
  await visit.open('/administration/templates/4')
  const buttons = visit.page.locator('.draft-fields > li').first().getByRole('button')
  await buttons.first().waitFor()
  const places = await buttons.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().y))
  expect(places).toEqual([places[0], places[0], places[0]])
})

it('a template is changed by the keyboard alone', async () => {
  const visit = await stage.visitor()
  await visit.arrive(await stage.appliance.addUser(['read', 'createVault', 'admin', 'active']))
  const { page } = visit
  const { keyboard } = page
  await visit.open('/administration/templates')
  await visit.sees('Templates')
  await visit.tabTo(/^Server/, { most: 200 })
  await keyboard.press('Enter')
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.waitFor()
  await visit.tabTo('Template name')
  await keyboard.press('Control+a')
  await keyboard.type('Router')
  await preview.getByText('Router').waitFor()
  const labels = (): Promise<string[]> => preview.locator('label').allTextContents()
  const [first = '', second = ''] = await labels()
  await visit.tabTo(`Move ${first} down`)
  await keyboard.press('Enter')
  await expect.poll(async () => (await labels()).slice(0, 2)).toEqual([second, first])
  expect(await visit.focused()).toBe(`Move ${first} down`)
  const before = (await labels()).length
  await visit.tabTo('Add field', { most: 200 })
  await keyboard.press('Enter')
  expect(await page.locator('.draft-fields > li').count()).toBe(before + 1)
  await visit.tabTo('Label', { key: 'Shift+Tab' })
  await keyboard.type('Enable secret')
  await preview.getByText('Enable secret', { exact: true }).waitFor()
  await visit.tabTo('Remove Enable secret')
  await keyboard.press('Enter')
  await preview.getByText('Enable secret', { exact: true }).waitFor({ state: 'detached' })
  // The focus is moved in the frame after the one that removes the button.
  await expect.poll(() => page.evaluate('document.activeElement !== document.body')).toBe(true)
  await visit.tabTo('Save as file')
  const saving = page.waitForEvent('download')
  await keyboard.press('Enter')
  expect((await saving).suggestedFilename()).toMatch(/^template-\d+\.json$/)
})
