import { expect, it } from 'vitest'
import { nextTotpCode } from '../support/hardware-token.ts'
import { createObject, readObject } from '../support/object-kit.ts'
import type { TestUser } from '../support/appliance.ts'
import type { Visit } from './browser-kit.ts'
import { consoleStage, type Owner } from './console-stage.ts'

const stage = consoleStage()
const kept = 'Your unsaved changes will be restored when you log in.'
/** Not all that begins so: the page has the names of its scripts. */
const typedTexts = /typed-user|Typed-Pass/
const again = (visit: Visit, user: TestUser): Promise<void> => visit.fillIn(user, nextTotpCode(user.totpSecret))

/** A person who has typed into the form of an object, and has another session beside that of the browser. */
async function typing(vaultname: string) {
  const { client, vaultid, user } = await stage.owner(vaultname)
  const id = await createObject(client, vaultid, { host: 'draft.example.test', username: 'before' })
  const visit = await stage.visitor()
  const { page } = visit
  await visit.logIn(user)
  await visit.open(`/object/${id}/edit`)
  await visit.sees('Edit draft.example.test')
  await page.getByLabel('Username').fill('typed-user')
  await page.getByRole('button', { name: 'Change Password' }).click()
  await page.getByLabel('Password', { exact: true }).fill('Typed-Pass.phrase')
  return { client, vaultid, user, id, visit, page }
}

/** Ends all sessions of the person, who then learns so by this button. */
async function endSession(
  { client, page, visit }: Pick<Awaited<ReturnType<typeof typing>>, 'client' | 'page' | 'visit'>,
  button = 'Save',
): Promise<void> {
  await visit.rests()
  await client.must('DELETE', '/me/sessions')
  await page.getByRole('button', { name: button }).click()
  await page.getByText('Your session has ended.').waitFor()
  visit.complaints.expect(/status of 403/)
}

it('is there again when its person logs in after the session has ended, and is saved', async () => {
  const begun = await typing('Mine')
  const { client, user, id, visit, page } = begun
  await endSession(begun)
  await page.getByText(kept).waitFor()
  expect(await page.content()).not.toMatch(typedTexts)
  expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toMatch(typedTexts)
  await again(visit, user)
  await visit.sees('Edit draft.example.test')
  expect(await page.getByLabel('Username').inputValue()).toBe('typed-user')
  await page.getByRole('button', { name: 'Save' }).click()
  await visit.sees('draft.example.test')
  expect(await readObject(client, id, '?decrypt=true')).toMatchObject({
    public: { username: 'typed-user' },
    crypted: { password: 'Typed-Pass.phrase' },
  })
  // Saved, it is kept no longer.
  await visit.open(`/object/${id}/edit`)
  await visit.sees('Edit draft.example.test')
  await visit.open('/')
  await visit.sees('Vaults')
})

it("is no other person's, and gone when another one has been there", async () => {
  const begun = await typing('Theirs')
  const { client, vaultid, user, visit, page } = begun
  const other = await stage.appliance.addUser()
  await client.must('POST', `/vault/${vaultid}/member/${other.id}`, { status: 2 })
  await endSession(begun)
  await visit.fillIn(other)
  await visit.sees('Edit draft.example.test')
  expect(await page.getByLabel('Username').inputValue()).toBe('before')
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByText('You have logged out.').waitFor()
  await again(visit, user)
  await visit.sees('Edit draft.example.test')
  expect(await page.getByLabel('Username').inputValue()).toBe('before')
})

it('goes with a logout, in another tab too', async () => {
  const { user, visit, page } = await typing('Left')
  const other = await visit.context.newPage()
  await other.goto(`${visit.origin}/#/`)
  await other.getByRole('button', { name: 'Log out' }).click()
  await page.getByText('Your session has ended.').waitFor()
  await page.getByText(kept).waitFor({ state: 'detached' })
  await again(visit, user)
  await visit.sees('Edit draft.example.test')
  expect(await page.getByLabel('Username').inputValue()).toBe('before')
})

it('of a new object is there again after the lock, with its template, and for an hour', async () => {
  const { vaultid, user } = await stage.owner('Locked')
  const visit = await stage.visitor()
  const { page } = visit
  await page.clock.install()
  await visit.logIn(user)
  await visit.open(`/vault/${vaultid}/0/new`)
  await page.getByRole('searchbox').fill('Short login')
  await page.getByRole('button', { name: /^Short login/ }).click()
  await page.getByLabel('Username').fill('typed-user')
  const lock = async (): Promise<void> => {
    // Not on into the patience of the logout, which would give it up and send another.
    await page.clock.runFor(10 * 60_000 + 6_000)
    await page.getByText('because you were inactive').waitFor()
    await expect.poll(() => visit.context.cookies()).toEqual([])
  }
  await lock()
  await page.clock.runFor(55 * 60_000)
  await again(visit, user)
  await visit.sees('New object')
  expect(await page.getByLabel('Username').inputValue()).toBe('typed-user')
  // The hour ends while the form is shown again.
  await page.clock.runFor(6 * 60_000)
  await page.evaluate(`localStorage.removeItem('strongroom.person')`)
  await page.evaluate(`dispatchEvent(new StorageEvent('storage', { key: 'strongroom.person' }))`)
  await page.getByText(kept).waitFor()
  expect(await visit.findings()).toEqual([])
  await page.clock.runFor(60 * 60_000)
  await page.getByText(kept).waitFor({ state: 'detached' })
})

it('of a one-time link is there again', async () => {
  const { client, user } = await stage.owner('Linked')
  const visit = await stage.visitor()
  const { page } = visit
  await visit.logIn(user)
  await visit.open('/links')
  await page.getByLabel('Secret').fill('typed-secret')
  await page.getByLabel('Label').fill('typed-label')
  await visit.rests()
  await client.must('DELETE', '/me/sessions')
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByText(kept).waitFor()
  visit.complaints.expect(/status of 403/)
  await again(visit, user)
  await visit.sees('One-time links')
  expect(await page.getByLabel('Secret').inputValue()).toBe('typed-secret')
  expect(await page.getByLabel('Label').inputValue()).toBe('typed-label')
})

it('of the own address and of a new tag is there again, and no longer once the address is saved', async () => {
  const { client, vaultid, user } = await stage.owner('Small fields')
  const id = await createObject(client, vaultid, { host: 'tagged.example.test' })
  const visit = await stage.visitor()
  const { page } = visit
  await visit.arrive(user)
  const other = await visit.context.newPage()
  await other.goto(`${stage.appliance.url}/authinfo/logintypes`)
  const person: string = await other.evaluate(`localStorage.getItem('strongroom.person')`)
  const end = () => other.evaluate(`localStorage.removeItem('strongroom.person')`)
  const fields = [
    ['/me', 'Email', 'typed@example.test'],
    [`/object/${id}`, 'New tag', 'typed'],
  ] as const
  for (const [address, label, typed] of fields) {
    await visit.open(address)
    await page.getByLabel(label).fill(typed)
    await end()
    await page.getByText(kept).waitFor()
    await other.evaluate(`localStorage.setItem('strongroom.person', ${JSON.stringify(person)})`)
    await expect.poll(() => page.getByLabel(label).inputValue()).toBe(typed)
  }
  await visit.open('/me')
  await page.getByLabel('Email').fill('typed@example.test')
  await page.getByRole('button', { name: 'Save' }).click()
  await visit.hears('Email address saved.')
  await end()
  await page.getByText('Your session has ended.').waitFor()
  expect(await page.getByText(kept).count()).toBe(0)
})

it('of one of several files is there again, and the files whose turn comes after it', async () => {
  const { client, vaultid, user } = await stage.owner('Files')
  const visit = await stage.visitor()
  const { page } = visit
  await visit.logIn(user)
  await visit.open(`/vault/${vaultid}/0/new`)
  await visit.sees('New object')
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a file' }).click()
  const files = ['first', 'second', 'third'].map((name) => ({
    name: `${name}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.from(name),
  }))
  const answered = (path: string) => page.waitForResponse((response) => response.url().endsWith(path))
  const isSizeChecked = answered('/utils/get_mime_type')
  await (await chooser).setFiles(files)
  await page.getByText('File 1 of 3').waitFor()
  await isSizeChecked
  // Else the page learns that the session has ended before the button is pressed.
  const isQuiet = Promise.all([answered('/utils/get_mime_type'), answered(`/vault/${vaultid}`)])
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('File 2 of 3').waitFor()
  await isQuiet
  await page.getByLabel('Description').fill('Of spring')
  await client.must('DELETE', '/me/sessions')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('Your session has ended.').waitFor()
  visit.complaints.expect(/status of 403/)
  await again(visit, user)
  await page.getByText('File 1 of 2').waitFor()
  expect(await page.getByLabel('Description').inputValue()).toBe('Of spring')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('File 2 of 2').waitFor()
  await page.getByRole('button', { name: 'Create' }).click()
  for (const { name } of files) await page.getByRole('link', { name }).waitFor()
})

it('of several files, the session ends while the next one is being looked at: none of them is lost', async () => {
  const { client, vaultid, user } = await stage.owner('Looked at')
  const visit = await stage.visitor()
  const { page } = visit
  await visit.logIn(user)
  await visit.open(`/vault/${vaultid}/0/new`)
  await visit.sees('New object')
  await client.must('DELETE', '/me/sessions')
  const files = ['first', 'second'].map((name) => ({
    name: `${name}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.from(name),
  }))
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a file' }).click()
  await (await chooser).setFiles(files)
  await page.getByText(kept).waitFor()
  visit.complaints.expect(/status of 403/)
  await again(visit, user)
  await page.getByText('File 1 of 2').waitFor()
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('File 2 of 2').waitFor()
  await page.getByRole('button', { name: 'Create' }).click()
  for (const { name } of files) await page.getByRole('link', { name }).waitFor()
})

/**
 * Hands the answer to a sent form over between a change of the page and React's effects of it, where a busy machine may
 * hand it over: the change takes longer than React draws at a time.
 */
const answersAmidDrawing = `
  const { setAttribute } = Element.prototype
  Element.prototype.setAttribute = function (...named) {
    setAttribute.apply(this, named)
    for (const begun = performance.now(); this.matches('progress') && performance.now() - begun < 30; );
  }
  XMLHttpRequest.prototype.addEventListener = function (type, listener) {
    EventTarget.prototype.addEventListener.call(this, type, (event) => {
      const bar = document.querySelector('progress')
      if (type !== 'load' || bar === null) return listener(event)
      new MutationObserver((_, drawn) => {
        drawn.disconnect()
        listener(event)
      }).observe(bar, { attributes: true })
      this.upload.dispatchEvent(new ProgressEvent('progress', { loaded: 1, total: 3 }))
    })
  }`

it('is there again where the end of the session comes amid the drawing of an upload', async () => {
  const { client, vaultid, user } = await stage.owner('Uploaded')
  const visit = await stage.visitor()
  const { page } = visit
  await page.addInitScript(answersAmidDrawing)
  await visit.logIn(user)
  await visit.open(`/vault/${vaultid}/0/new`)
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a file' }).click()
  await (await chooser).setFiles({ name: 'first.txt', mimeType: 'text/plain', buffer: Buffer.from('first') })
  await page.getByLabel('Description').fill('Of spring')
  await visit.rests()
  await client.must('DELETE', '/me/sessions')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('Your session has ended.').waitFor()
  await page.getByText(kept).waitFor()
  visit.complaints.expect(/status of 403/)
})

it('of a new user is there again, in its dialog, and is kept no longer once the user is created', async () => {
  const { client, user } = await stage.owner('Office', ['read', 'createVault', 'admin', 'active'])
  const visit = await stage.visitor()
  const { page } = visit
  const dialog = page.getByRole('dialog')
  await visit.logIn(user)
  await visit.open('/administration/users')
  await page.getByRole('button', { name: 'New user' }).click()
  await dialog.getByLabel('Full name').fill('Nora Kept')
  await dialog.getByLabel('Username').fill('nora.kept')
  await dialog.getByLabel('Email').fill('nora@example.test')
  await dialog.getByLabel('Initial pass phrase', { exact: true }).fill('seven wooden lanterns on the quay')
  await endSession({ client, page, visit }, 'Create')
  await page.getByText(kept).waitFor()
  await again(visit, user)
  expect(await dialog.getByLabel('Email').inputValue()).toBe('nora@example.test')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await visit.sees('Nora Kept')
  await visit.open('/administration/users')
  await visit.sees('Users')
  expect(await dialog.count()).toBe(0)
})

/** The address of a view with a dialog, the button that opens it, a field of it and what is typed there; nothing for a choice. */
type Typing = readonly [
  address: (owned: Owner, userid: string, serviceid: string) => string,
  button: string | RegExp,
  field: string,
  typed?: string,
]
const dialogs: readonly Typing[] = [
  [() => '/administration/services', 'New service account', 'Allowed addresses', '192.0.2.0/24'],
  [(_, _userid, id) => `/administration/services/${id}`, 'Add credential', 'Credential name', 'Typed'],
  [({ user }) => `/administration/users/${user.id}`, 'Edit', 'Email', 'typed@example.test'],
  [(_, userid) => `/administration/users/${userid}`, 'Reset pass phrase', 'New pass phrase', 'typed words for another'],
  [() => '/', 'Create vault', 'Description', 'Typed'],
  [({ vaultid }) => `/vault/${vaultid}/about`, 'Edit', 'Description', 'Typed'],
  [({ vaultid }) => `/vault/${vaultid}/about`, 'Share', 'Find by name or email', 'Typed'],
  [({ vaultid }) => `/vault/${vaultid}/about`, /^Change permission of/, 'Limited'],
  [({ vaultid }) => `/vault/${vaultid}/keys`, 'Create key', 'Purpose', 'Typed'],
  [({ vaultid }) => `/vault/${vaultid}/keys`, 'Import key', 'Purpose', 'Typed'],
  [({ vaultid }) => `/vault/${vaultid}/keys`, 'Restore backup', 'Name', 'typed'],
  [({ vaultid }) => `/vault/${vaultid}/keys`, 'Rules', 'Refuse calls with fields that the API does not know'],
  [({ vaultid }) => `/vault/${vaultid}/keys/typed`, 'Edit', 'Purpose', 'Typed'],
]

it('of a dialog or an import is there again, and is kept no longer once it is cancelled or done', async () => {
  const owned = await stage.owner('Machines', ['read', 'createVault', 'admin', 'active'])
  const { client, user, vaultid } = owned
  await client.must('POST', `/transparent/${vaultid}/keys/typed`, {})
  const { CALLINFO } = await client.must('POST', '/service', { name: 'typed.runner' })
  const { id: serviceid } = CALLINFO['service'] as { id: string }
  const visit = await stage.visitor()
  const { page } = visit
  const dialog = page.getByRole('dialog')
  await visit.arrive(user)
  // Another tab, in which the session ends and its person logs in again.
  const other = await visit.context.newPage()
  await other.goto(`${stage.appliance.url}/authinfo/logintypes`)
  const person: string = await other.evaluate(`localStorage.getItem('strongroom.person')`)
  const endAndBeginAgain = async (): Promise<void> => {
    await other.evaluate(`localStorage.removeItem('strongroom.person')`)
    await page.getByText(kept).waitFor()
    await other.evaluate(`localStorage.setItem('strongroom.person', ${JSON.stringify(person)})`)
  }
  const another = await stage.appliance.addUser()
  for (const [address, button, field, typed] of dialogs) {
    await visit.open(address(owned, String(another.id), serviceid))
    await page.getByRole('main').getByRole('button', { name: button, exact: true }).first().click()
    if (typed === undefined) await dialog.getByText(field, { exact: true }).click()
    else await dialog.getByLabel(field, { exact: true }).fill(typed)
    await endAndBeginAgain()
    const input = dialog.getByLabel(field, { exact: true })
    expect(await (typed === undefined ? input.isChecked() : input.inputValue())).toBe(typed ?? true)
    expect(await visit.isHeld()).toBe(true)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await visit.isHeld()).toBe(false)
  }
  await client.must('POST', '/vault', { vaultname: 'First of the list' })
  await visit.open('/exchange')
  await page.getByLabel('Vault', { exact: true }).selectOption('Machines')
  const buffer = Buffer.from('name,username,password,PUK\nMail,ann,pw-1,77\n')
  await page.locator('input[type=file]').setInputFiles({ name: 'export.csv', mimeType: 'text/csv', buffer })
  await page.getByLabel('PUK').selectOption('nothing')
  await page.getByText('1 object', { exact: true }).waitFor()
  await endAndBeginAgain()
  await page.getByText('1 object', { exact: true }).waitFor()
  expect(await page.getByLabel('PUK').inputValue()).toBe('nothing')
  expect(await page.getByLabel('Vault', { exact: true }).inputValue()).toBe(vaultid)
  await page.getByRole('button', { name: 'Import 1 object' }).click()
  await visit.hears('1 object imported.')
  await other.evaluate(`localStorage.removeItem('strongroom.person')`)
  await page.getByText('Your session has ended.').waitFor()
  expect(await page.getByText(kept).count()).toBe(0)
})

it('of a dialog with a file is there again, where a screen reader finds the file, and is sent', async () => {
  const { client, user, vaultid } = await stage.owner('Restored')
  await client.must('POST', `/transparent/${vaultid}/keys/kept`, {})
  const { KEYS } = await client.must('GET', `/transparent/backup/${vaultid}/kept`)
  const visit = await stage.visitor()
  const { page } = visit
  const dialog = page.getByRole('dialog')
  await visit.logIn(user)
  await visit.open(`/vault/${vaultid}/keys`)
  await page.getByRole('button', { name: 'Restore backup' }).click()
  const buffer = Buffer.from((KEYS as { backup: string }).backup)
  await dialog.locator('input[type=file]').setInputFiles({ name: 'again.backup', mimeType: 'text/plain', buffer })
  await visit.rests()
  await client.must('DELETE', '/me/sessions')
  await dialog.getByRole('button', { name: 'Restore' }).click()
  await page.getByText(kept).waitFor()
  visit.complaints.expect(/status of 403/)
  await again(visit, user)
  const named = await dialog
    .locator('input[type=file]')
    .evaluate((input: { files: { name: string }[] }) => input.files[0]?.name)
  expect(named).toBe('again.backup')
  await dialog.getByRole('button', { name: 'Restore' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'again' }).waitFor()
})

it('of a changed service account is there again, and takes back nothing that another administrator changed', async () => {
  const { client, user } = await stage.owner('Changed', ['read', 'createVault', 'admin', 'active'])
  const { CALLINFO } = await client.must('POST', '/service', { name: 'changed.runner', description: 'before' })
  const { id } = CALLINFO['service'] as { id: string }
  const visit = await stage.visitor()
  const { page } = visit
  const dialog = page.getByRole('dialog')
  await visit.logIn(user)
  await visit.open(`/administration/services/${id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('Allowed addresses').fill('192.0.2.0/24')
  await endSession({ client, page, visit })
  await page.getByText(kept).waitFor()
  await client.must('PUT', `/service/${id}`, { description: 'by another' })
  await again(visit, user)
  expect(await dialog.getByLabel('Allowed addresses').inputValue()).toBe('192.0.2.0/24')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { service } = (await client.must('GET', `/service/${id}`)).CALLINFO
  expect(service).toMatchObject({ description: 'by another', addresses: ['192.0.2.0/24'] })
})

it('of a template is there again after the lock', async () => {
  const { user } = await stage.owner('Forms', ['read', 'createVault', 'admin', 'active'])
  const visit = await stage.visitor()
  const { page } = visit
  await page.clock.install()
  await visit.logIn(user)
  await visit.open('/administration/templates/4')
  await page.getByLabel('Template name').fill('Kept template')
  await page.clock.runFor(10 * 60_000 + 6_000)
  await page.getByText('because you were inactive').waitFor()
  await expect.poll(() => visit.context.cookies()).toEqual([])
  await again(visit, user)
  expect(await page.getByLabel('Template name').inputValue()).toBe('Kept template')
  // It is not saved yet.
  await page.getByRole('link', { name: 'Vaults' }).click()
  await page.getByRole('alertdialog').waitFor()
})
