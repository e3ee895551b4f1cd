import { expect, it } from 'vitest'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

/** An administrator who came to this view from the list of vaults, so that Back leads there. */
async function administratorAt(address: string) {
  const visit = await stage.visitor()
  await visit.arrive(await stage.appliance.addUser(['read', 'createVault', 'admin', 'active']))
  await visit.open(address)
  return { visit, page: visit.page, dialog: visit.page.getByRole('dialog') }
}

it('asks before Back or another page takes what was typed into a dialog, and forgets nothing meanwhile', async () => {
  const { visit, page, dialog } = await administratorAt('/administration/services')
  await page.getByRole('button', { name: 'New service account' }).click()
  const name = dialog.getByLabel('Name', { exact: true })
  expect(await visit.isHeld()).toBe(false)
  await name.fill('deploy.runner')
  expect(await visit.isHeld()).toBe(true)
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
  await page.goBack()
  await question.waitFor()
  expect(await visit.findings()).toEqual([])
  await question.getByRole('button', { name: 'Stay on this page' }).click()
  await question.waitFor({ state: 'detached' })
  expect(await name.inputValue()).toBe('deploy.runner')
  await page.goBack()
  await question.getByRole('button', { name: 'Leave without saving' }).click()
  await visit.sees('Vaults')
  // Nothing holds the page any more.
  expect(await visit.isHeld()).toBe(false)
  await visit.open('/administration/services')
  await visit.sees('Service accounts')
  expect(await dialog.count()).toBe(0)
})

it('asks once of what was typed into a form and into a dialog over it, also when the dialog is closed', async () => {
  const { visit, page, vaultid } = await stage.visitingOwner('Two forms')
  const dialog = page.getByRole('dialog')
  await visit.open(`/vault/${vaultid}/0/new`)
  await page.getByRole('searchbox').fill('Short login')
  await page.getByRole('button', { name: /^Short login/ }).click()
  await page.getByRole('button', { name: 'Generate' }).click()
  await dialog.getByLabel('Length').fill('31')
  // The form below has typing as soon as the dialog has given it a password.
  await dialog.getByRole('button', { name: 'Use' }).click()
  await dialog.waitFor({ state: 'detached' })
  const secret = page.getByLabel('Password', { exact: true })
  // It is the password that was asked for, and not one that was made before.
  expect(await secret.inputValue()).toHaveLength(31)
  await page.getByRole('button', { name: 'Generate' }).click()
  await dialog.getByLabel('Length').fill('32')
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
  for (const isOpen of [true, false]) {
    expect(await dialog.count()).toBe(Number(isOpen))
    await page.goBack()
    await question.waitFor()
    expect(await question.count()).toBe(1)
    await question.getByRole('button', { name: 'Stay on this page' }).click()
    await question.waitFor({ state: 'detached' })
    if (isOpen) await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  expect(await secret.inputValue()).toHaveLength(31)
})

it('asks before Escape takes what was typed into a dialog', async () => {
  const { visit, page, dialog } = await administratorAt('/administration/services')
  const open = () => page.getByRole('button', { name: 'New service account' }).click()
  await open()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await open()
  const name = dialog.getByLabel('Name', { exact: true })
  await name.fill('deploy.runner')
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
  await page.keyboard.press('Escape')
  await question.waitFor()
  expect(await visit.focused()).toBe('Stay on this page')
  expect(await visit.findings()).toEqual([])
  // A second Escape takes the question back, and not the dialog.
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  expect(await name.inputValue()).toBe('deploy.runner')
  expect(await visit.focused()).toBe('Name')
  await page.keyboard.press('Escape')
  await question.getByRole('button', { name: 'Leave without saving' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await visit.isHeld()).toBe(false)
  // Cancel says what it does.
  await open()
  await name.fill('deploy.runner')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
})

it('keeps the whole of a text that is too long for its field, and says so', async () => {
  const { visit, page, dialog } = await administratorAt('/')
  await page.getByRole('button', { name: 'Create vault' }).click()
  const name = dialog.getByLabel('Name', { exact: true })
  await name.focus()
  await page.keyboard.insertText('n'.repeat(130))
  expect(await name.inputValue()).toHaveLength(130)
  await dialog.getByRole('button', { name: 'Create vault' }).click()
  await dialog.getByText('This text has 130 characters. Use 128 at most.').waitFor()
  expect(await visit.findings()).toEqual([])
  await name.press('Backspace')
  await name.press('Backspace')
  await dialog.getByRole('button', { name: 'Create vault' }).click()
  await visit.sees('n'.repeat(128))
})

it('says nothing of a secret that lines were joined in when they were pasted into the dialog over it', async () => {
  const { visit, page, vaultid } = await stage.visitingOwner('Pasted')
  await visit.open(`/vault/${vaultid}/0/new`)
  await page.getByRole('searchbox').fill('Short login')
  await page.getByRole('button', { name: /^Short login/ }).click()
  await page.getByLabel('Password', { exact: true }).fill('typed')
  await page.getByRole('button', { name: 'Generate' }).click()
  await page.evaluate(`navigator.clipboard.writeText('2\\n4')`)
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Length').press('Control+V')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await page.getByText('had several lines').count()).toBe(0)
})

it('asks before a secret that is shown once is lost', async () => {
  const { visit, page, dialog } = await administratorAt('/administration/users')
  const user = await stage.appliance.addUser()
  await visit.open(`/administration/users/${user.id}`)
  await page.getByRole('button', { name: 'Add authenticator app' }).click()
  await dialog.getByRole('button', { name: 'Add authenticator app' }).click()
  const shown = page.getByRole('alertdialog', { name: /Add an authenticator app for/ })
  const seed = await shown.locator('.value.code').innerText()
  expect(await visit.isHeld()).toBe(true)
  await page.goBack()
  const question = page.getByRole('alertdialog', { name: 'Leave without it?' })
  await question.getByRole('button', { name: 'Stay on this page' }).click()
  expect(await shown.locator('.value.code').innerText()).toBe(seed)
  await shown.getByRole('button', { name: 'Done' }).click()
  await shown.waitFor({ state: 'detached' })
  expect(await visit.isHeld()).toBe(false)
})

it('says that a change without an answer may have been made, so that nobody makes it twice unawares', async () => {
  const { visit, page, dialog } = await administratorAt('/')
  const address = `${stage.appliance.url}/vault`
  await page.route(address, (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()))
  await page.getByRole('button', { name: 'Create vault' }).click()
  await dialog.getByLabel('Name', { exact: true }).fill('Without an answer')
  await dialog.getByRole('button', { name: 'Create vault' }).click()
  await dialog.getByText('The appliance cannot be reached.').waitFor()
  await dialog.getByText('It may have been done anyway').waitFor()
  // A refusal leaves no doubt.
  await page.unroute(address)
  await page.route(address, (route) =>
    route.request().method() === 'POST'
      ? route.continue({ postData: JSON.stringify({ vaultname: '' }) })
      : route.continue(),
  )
  await dialog.getByRole('button', { name: 'Create vault' }).click()
  await dialog.getByText('The appliance cannot be reached.').waitFor({ state: 'detached' })
  await dialog.getByRole('alert').waitFor()
  expect(await dialog.getByText('It may have been done anyway').count()).toBe(0)
  visit.complaints.expect(/net::ERR_FAILED/, /status of 400/)
  // The form of a page says it, too.
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.route(`${stage.appliance.url}/link`, (route) => route.abort())
  await visit.open('/links')
  await page.getByLabel('Secret').fill('Without an answer')
  await page.getByLabel('Label').fill('lost')
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('alert').getByText('It may have been done anyway').waitFor()
})
