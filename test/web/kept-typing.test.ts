import { expect, it } from 'vitest'
import { nextTotpCode } from '../support/hardware-token.ts'
import { createObject, readObject } from '../support/object-kit.ts'
import type { TestUser } from '../support/appliance.ts'
import type { Visit } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()
const kept = 'Your unsaved changes will be restored when you log in.'
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

async function endSession({ client, page, visit }: Awaited<ReturnType<typeof typing>>): Promise<void> {
  await client.must('DELETE', '/me/sessions')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Your session has ended.').waitFor()
  visit.complaints.expect(/status of 403/)
}

it('is there again when its person logs in after the session has ended, and is saved', async () => {
  const begun = await typing('Mine')
  const { client, user, id, visit, page } = begun
  await endSession(begun)
  await page.getByText(kept).waitFor()
  expect(await page.content()).not.toMatch(/[Tt]yped-/)
  expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toMatch(/[Tt]yped-/)
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
  await again(visit, user)
  await visit.sees('New object')
  expect(await page.getByLabel('Username').inputValue()).toBe('typed-user')
  await lock()
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
  await client.must('DELETE', '/me/sessions')
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByText(kept).waitFor()
  visit.complaints.expect(/status of 403/)
  await again(visit, user)
  await visit.sees('One-time links')
  expect(await page.getByLabel('Secret').inputValue()).toBe('typed-secret')
  expect(await page.getByLabel('Label').inputValue()).toBe('typed-label')
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
  await (await chooser).setFiles(files)
  await page.getByText('File 1 of 3').waitFor()
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('File 2 of 3').waitFor()
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
