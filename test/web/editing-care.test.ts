import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Route } from 'playwright-core'
import { expect, it } from 'vitest'
import { createObject, objectsIn } from '../support/object-kit.ts'
import { consoleStage } from './console-stage.ts'
import type { Visit } from './browser-kit.ts'

const stage = consoleStage()

async function choose({ page }: Visit, template: string): Promise<void> {
  await page.getByRole('searchbox').fill(template)
  await page.getByRole('button', { name: new RegExp(`^${template}`) }).click()
}

async function begin(visit: Visit, template: string): Promise<void> {
  await visit.open(`/vault/${stage.stocked.vaultid}/0/new`)
  await visit.sees('New object')
  await choose(visit, template)
}

interface AnyTemplate {
  readonly INFO: { readonly name: string }
  readonly STRUCTURE: Record<string, object>
}

/** The templates of an appliance whose operator has changed some. */
async function withTemplates({ page }: Visit, change: (template: AnyTemplate) => void): Promise<void> {
  const read = await stage.stocked.client.must('GET', '/template')
  const templates: AnyTemplate[] = JSON.parse(JSON.stringify(read['TEMPLATE']))
  templates.forEach(change)
  await page.route(`${stage.appliance.url}/template`, (route) =>
    route.fulfill({ json: { ...read, TEMPLATE: templates } }),
  )
}

it('asks nothing while it saves: who has left meanwhile comes to where they were going, and is asked if it fails', async () => {
  const visit = await stage.writer()
  const { page } = visit
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
  const goes = async (host: string): Promise<void> => {
    await begin(visit, 'Server')
    await page.getByLabel('Host', { exact: true }).fill(host)
    await page.getByLabel('Username').fill('any')
    await page.getByLabel('Password', { exact: true }).fill('An0ther-Passw0rd')
  }
  const { route, answer } = heldAnswers()
  await page.route(`${stage.appliance.url}/object`, route)
  const savesAndLeaves = async (): Promise<void> => {
    const sent = page.waitForRequest(`${stage.appliance.url}/object`)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await sent
    await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Vaults' }).click()
    await expect.poll(() => page.url()).toMatch(/#\/$/)
    await page.locator('.notices').getByText('Please wait…').waitFor()
    expect(await question.count()).toBe(0)
  }
  await goes('lost.example.test')
  await savesAndLeaves()
  answer((held) => held.abort())
  await question.waitFor()
  await page.getByRole('button', { name: 'Stay on this page' }).click()
  await page.getByText('The appliance cannot be reached.').waitFor()
  await savesAndLeaves()
  answer((held) => held.continue())
  await visit.sees('Vaults')
  await visit.hears('lost.example.test')
  visit.complaints.expect(/net::ERR_FAILED/)
})

/** Requests that wait for the test. */
function heldAnswers() {
  let waiting: Route | undefined
  return {
    route: (route: Route): void => void (waiting = route),
    answer: (how: (route: Route) => Promise<void>): void => void (waiting && how(waiting)),
  }
}

it('another template keeps what it has a place for, and asks before the rest is lost', async () => {
  const visit = await stage.writer()
  const { page } = visit
  await begin(visit, 'Server')
  await page.getByLabel('Host', { exact: true }).fill('keep.example.test')
  await page.getByLabel('Username').fill('kept-user')
  await page.getByLabel('Password', { exact: true }).fill('kept-Passw0rd')
  await page.getByLabel(/^Information/).fill('Has no place elsewhere')
  await page.getByLabel(/^Name in lists/).fill('Kept name')
  await page.getByRole('button', { name: 'Change template' }).click()

  // What was typed is still unsaved.
  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Vaults' }).click()
  await page.getByRole('alertdialog', { name: 'Leave without saving?' }).waitFor()
  await page.getByRole('button', { name: 'Stay on this page' }).click()

  await choose(visit, 'Login Info')
  const question = page.getByRole('alertdialog', { name: 'Login Info has no fields for some of your values' })
  await question.getByText('Host', { exact: true }).waitFor()
  await question.getByText('Information', { exact: true }).waitFor()
  expect(await question.getByText('Username', { exact: true }).count()).toBe(0)
  expect(await visit.findings()).toEqual([])
  await question.getByRole('button', { name: 'Cancel' }).click()

  // The one that it was typed for has a place for all.
  await choose(visit, 'Server')
  expect(await page.getByLabel(/^Information/).inputValue()).toBe('Has no place elsewhere')
  expect(await page.getByLabel(/^Name in lists/).inputValue()).toBe('Kept name')
  await page.getByRole('button', { name: 'Change template' }).click()
  await choose(visit, 'Login Info')
  await question.getByRole('button', { name: 'Use Login Info' }).click()
  // What names objects of this template is a field of its own.
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Kept name')
  expect(await page.getByLabel('Username').inputValue()).toBe('kept-user')
  expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('kept-Passw0rd')
  await page.getByRole('button', { name: 'Create' }).click()
  await visit.sees('Kept name')
  const stored = objectsIn(await stage.stocked.client.must('GET', `/vault/${stage.stocked.vaultid}`), 'OBJECTS')
  const [made] = stored.filter(({ objectname }) => objectname === 'Kept name')
  expect(made?.public).toMatchObject({ name: 'Kept name', username: 'kept-user' })
})

it('an object that a field names gets the new name of that field, and is called so as it is saved', async () => {
  const { client, vaultid } = stage.stocked
  const login = { templateid: '20', name: 'Old name', username: 'dns', password: 'An0ther-pass' }
  const objectid = await createObject(client, vaultid, login)
  const visit = await stage.writer()
  await visit.open(`/object/${objectid}/edit`)
  await visit.page.getByLabel('Name', { exact: true }).fill('New name')
  expect(await visit.page.getByLabel(/^Name in lists/).count()).toBe(0)
  await visit.page.getByRole('button', { name: 'Save' }).click()
  await visit.hears('New name saved.')
  await visit.sees('New name')
})

it('a secret is not carried over into an open field', async () => {
  const visit = await stage.writer()
  const { page } = visit
  await withTemplates(visit, ({ INFO, STRUCTURE }) => {
    if (INFO.name === 'Login Info') STRUCTURE['password'] = { ...STRUCTURE['password'], encrypted: false, type: 'text' }
  })
  await begin(visit, 'Short login')
  await page.getByLabel('Password', { exact: true }).fill('kept-Passw0rd')
  await page.getByRole('button', { name: 'Change template' }).click()
  await choose(visit, 'Login Info')
  const question = page.getByRole('alertdialog', { name: 'Login Info has no fields for some of your values' })
  await question.getByText('Password', { exact: true }).waitFor()
  await question.getByRole('button', { name: 'Use Login Info' }).click()
  expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('')
})

it('a day in a year of five digits is refused in words, and stays to be mended', async () => {
  const visit = await stage.writer()
  const { page } = visit
  await withTemplates(visit, ({ INFO, STRUCTURE }) => {
    if (INFO.name === 'Quicknote') STRUCTURE['due'] = { ...STRUCTURE['name'], translation: 'Due', type: 'date' }
  })
  await begin(visit, 'Quicknote')
  await page.getByLabel('Name', { exact: true }).fill('Far away')
  await page.getByLabel('Note', { exact: true }).fill('Later')
  const due = page.getByLabel('Due', { exact: true })
  await due.fill('12026-01-31')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('Enter a year with four digits.').waitFor()
  expect(await due.getAttribute('type')).toBe('date')
  expect(await due.inputValue()).toBe('12026-01-31')
  expect(visit.asked.filter((url) => url.endsWith('/object'))).toEqual([])
  await due.fill('2026-01-31')
  await page.getByText('Enter a year with four digits.').waitFor({ state: 'hidden' })
})

it('says that a field of one line has changed what was pasted, when that had several', async () => {
  const visit = await stage.writer()
  const { page } = visit
  await begin(visit, 'Short login')
  const note = page.getByText('What you pasted had several lines')
  const paste = async (text: string): Promise<void> => {
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
    await page.getByLabel('Password', { exact: true }).focus()
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Control+V')
  }
  await paste('one line, and the end of it\n')
  await expect.poll(() => page.getByLabel('Password', { exact: true }).inputValue()).toMatch(/^one line/)
  expect(await note.count()).toBe(0)
  await paste('-----BEGIN KEY-----\nMIIB\n-----END KEY-----\n')
  await note.waitFor()
  expect(await visit.findings()).toEqual([])
  await paste('another')
  await note.waitFor({ state: 'detached' })
})

it('a folder that is dropped anywhere is told that it cannot be taken', async () => {
  const visit = await stage.writer()
  const { page } = visit
  const dropFolder = async (): Promise<void> => {
    const dataTransfer = await page.evaluateHandle(`{
      const transfer = new DataTransfer()
      transfer.items.add(new File(['x'], 'folder'))
      transfer
    }`)
    await page.dispatchEvent('main', 'drop', { dataTransfer })
  }
  // Chromium makes no folder of a script's own: its entry says that it is one.
  await page.addInitScript(`DataTransferItem.prototype.webkitGetAsEntry = () => ({ isDirectory: true })`)
  await page.reload()
  for (const address of [`/vault/${stage.stocked.vaultid}`, `/vault/${stage.stocked.vaultid}/0/new`]) {
    await visit.open(address)
    await visit.sees(address.endsWith('/new') ? 'New object' : 'Network')
    await expect
      .poll(async () => {
        await dropFolder()
        return page.getByRole('alert').allTextContents()
      })
      .toEqual(['Folders cannot be uploaded. Drop the files inside the folder instead.'])
    expect(await visit.findings()).toEqual([])
  }
})

it('a file that is gone when it is sent is told so, and what was typed stays', async () => {
  const visit = await stage.writer()
  const { page } = visit
  const path = join(tmpdir(), 'vanishing.txt')
  writeFileSync(path, 'soon gone')
  await begin(visit, 'File')
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a file' }).click()
  await (await chooser).setFiles(path)
  await page.getByText('vanishing.txt').waitFor()
  await page.getByLabel(/^Description/).fill('met')
  rmSync(path)
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('This file can no longer be read.').waitFor()
  expect(await page.getByLabel(/^Description/).inputValue()).toBe('met')
  visit.complaints.expect(/net::ERR_FILE_NOT_FOUND/)
})
