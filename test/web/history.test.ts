import { expect, it } from 'vitest'
import { card, longNotes } from '../support/long-objects.ts'
import { createObject, readObject, recordsAbout } from '../support/object-kit.ts'
import type { VisitOptions } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'
import { memberOf } from './console-vault.ts'
import { hostileTexts } from './hostile-corpus.ts'
import { looks } from './looks.ts'

const stage = consoleStage()

/** A person before an object that was edited twice. */
async function editor(vaultname: string, options?: VisitOptions) {
  const { user, client, vaultid } = await stage.owner(vaultname)
  const id = await createObject(client, vaultid, { host: 'old.example.test', password: 'First-pass', info: 'Rack 1' })
  await client.must('PUT', `/object/${id}`, { host: 'mid.example.test', password: 'Second-pass' })
  await client.must('PUT', `/object/${id}`, { host: 'new.example.test', password: 'Third-pass', info: 'Rack 3' })
  const visit = await stage.visitor(options)
  await visit.arrive(user)
  const decryptions = (): string[] =>
    recordsAbout(stage.appliance, `object ${id}`)
      .filter(({ operation }) => String(operation).startsWith('object.decrypt'))
      .map(({ operation, subject }) => `${String(operation)} ${String(subject).split(': ')[1]}`)
  return { user, client, vaultid, id, visit, page: visit.page, decryptions }
}

it('shows what an object was, its secrets on demand alone, and gives it its values again', async () => {
  const { user, client, id, visit, page, decryptions } = await editor('Vane')
  await visit.open(`/object/${id}`)
  await visit.sees('new.example.test')
  await page.getByRole('link', { name: 'History' }).click()
  await visit.sees('History of new.example.test')
  expect(await page.title()).toBe('Object history · Strongroom')
  await page.getByText('The last 10 are kept.').waitFor()
  expect(await page.getByText(`Replaced by ${user.username}`).count()).toBe(2)
  await page.getByText('Version 1', { exact: true }).click()
  await page.getByText('old.example.test').first().waitFor()
  await page.getByText('Rack 1').waitFor()
  expect(decryptions()).toEqual([])
  expect(await page.content()).not.toContain('First-pass')
  await page.getByRole('button', { name: 'Show Password' }).click()
  await page.getByText('First-pass').waitFor()
  expect(decryptions()).toEqual(['object.decrypt password of version 1'])
  await page.getByRole('button', { name: 'Hide Password' }).click()
  expect(await page.content()).not.toContain('First-pass')

  await page.getByRole('button', { name: 'Restore this version: 1' }).click()
  const question = page.getByRole('alertdialog', { name: 'Restore version 1?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'detached' })
  expect(await readObject(client, id)).toMatchObject({ version: '3' })
  await page.getByRole('button', { name: 'Restore this version: 1' }).click()
  await question.getByRole('button', { name: 'Restore' }).click()
  await visit.hears('The values of version 1 are restored.')
  await visit.sees('old.example.test')
  expect(await readObject(client, id, '?decrypt=true')).toMatchObject({
    version: '4',
    objectname: 'old.example.test',
    public: { host: 'old.example.test', info: 'Rack 1' },
    crypted: { password: 'First-pass', cryptedinfo: '' },
  })
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByText('Version 3', { exact: true }).waitFor()
})

it('works by the keyboard alone, and asks before an alarm', async () => {
  const { client, id, visit, page, decryptions } = await editor('Pier')
  await client.must('PUT', `/object/${id}/alarm`, { alarm: true })
  await visit.open(`/object/${id}/history`)
  await visit.sees('History of new.example.test')
  await page.locator('summary').first().focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Show Password' }).focus()
  await page.keyboard.press('Enter')
  const question = page.getByRole('alertdialog')
  await question.getByText('new.example.test').first().waitFor()
  // Cancel has the focus.
  await page.keyboard.press('Enter')
  await question.waitFor({ state: 'detached' })
  expect(decryptions()).toEqual([])
  await page.getByRole('button', { name: 'Show Password' }).focus()
  await page.keyboard.press('Enter')
  await question.waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('Second-pass').waitFor()
  expect(decryptions()).toEqual(['object.decrypt.alarm password of version 2'])
})

it('tells the person whose object was changed meanwhile, and changes nothing', async () => {
  const { client, id, visit, page } = await editor('Quay')
  await visit.open(`/object/${id}/history`)
  await page.getByText('Version 1', { exact: true }).click()
  await client.must('PUT', `/object/${id}`, { info: 'Meanwhile' })
  await page.getByRole('button', { name: 'Restore this version: 1' }).click()
  const question = page.getByRole('alertdialog')
  await question.getByRole('button', { name: 'Restore' }).click()
  await question.getByText('(1618)').waitFor()
  // The history says meanwhile what was done.
  await page.getByText('Version 2', { exact: true }).waitFor()
  expect(await readObject(client, id)).toMatchObject({ version: '4', public: { info: 'Meanwhile' } })
  visit.complaints.expect(/status of 409/)
})

it('shows and gives back what the list of long versions leaves out', async () => {
  const { user, client, vaultid } = await stage.owner('Dune')
  await client.must('PUT', `/vault/${vaultid}`, { history: 100 })
  const id = await createObject(client, vaultid, { ...card, ...longNotes, service: 'First', owner: 'Ann' })
  for (let at = 0; at < 30; at++)
    await client.must('PUT', `/object/${id}`, { service: `Then ${at}`, cardno: String(at) })
  await client.must('PUT', `/object/${id}`, { service: 'Now', owner: 'Bob', expires: '', note1: '', note2: '' })
  const { HISTORY } = await client.must('GET', `/object/${id}/history`)
  expect((HISTORY as unknown[]).at(-1)).toMatchObject({ version: '1', public: {}, abridged: true })
  const visit = await stage.visitor()
  const { page } = visit
  await visit.arrive(user)
  await visit.open(`/object/${id}/history`)
  await page.getByText('Version 1', { exact: true }).click()
  await page.getByText('Ann', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Restore this version: 1', exact: true }).click()
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  await visit.sees('First')
  expect(await readObject(client, id, '?decrypt=true')).toMatchObject({
    public: { ...longNotes, service: 'First', owner: 'Ann' },
    crypted: { cardno: '1' },
  })
})

it('is read by members who may not write, and a vault says how much it keeps', async () => {
  const { client, vaultid } = stage.stocked
  const id = await createObject(client, vaultid, { host: 'read.example.test', password: 'One-pass' })
  await client.must('PUT', `/object/${id}`, { password: 'Two-pass' })
  const visit = await stage.visitor()
  const { page } = visit
  await visit.arrive(await memberOf(stage.stocked, stage.appliance))
  await visit.open(`/object/${id}/history`)
  await page.getByText('Version 1', { exact: true }).click()
  await page.getByRole('button', { name: 'Show Password' }).click()
  await page.getByText('One-pass').waitFor()
  expect(await page.getByRole('button', { name: 'Restore this version' }).count()).toBe(0)
  await client.must('PUT', `/vault/${vaultid}`, { history: 0 })
  await page.reload()
  await page.getByText('This vault keeps no earlier versions.').waitFor()
  await client.must('PUT', `/vault/${vaultid}`, { history: 10 })
})

it('is a choice of those who administer the vault', async () => {
  const { client, vaultid, visit, page } = await editor('Moat')
  await client.must('PUT', `/vault/${vaultid}`, { history: 7 })
  // What the page has read before is of then.
  await page.reload()
  await visit.open(`/vault/${vaultid}/about`)
  await page.getByRole('button', { name: 'Edit' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Edit vault' })
  const choice = dialog.getByLabel('Earlier versions')
  expect(await choice.inputValue()).toBe('7')
  await choice.selectOption({ label: 'The last 20' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await visit.hears('Vault saved.')
  const { VAULT } = await client.must('GET', `/vault/${vaultid}`)
  expect(VAULT).toMatchObject([{ history: '20' }])
})

it.each(looks)(
  'shows hostile values as texts, in %s colours and %i pixels without a finding of axe-core',
  async (theme, width) => {
    const { client, vaultid, visit, page } = await editor('Keep', { theme, width })
    for (const text of hostileTexts) {
      const id = await createObject(client, vaultid, { objectname: text, host: text, username: text, password: text })
      await client.must('PUT', `/object/${id}`, { objectname: 'Tame', host: 'h', username: 'u', password: 'p' })
      await visit.open(`/object/${id}/history`)
      await visit.sees('History of Tame')
      await page.getByText('Version 1', { exact: true }).click()
      await page.getByRole('button', { name: 'Show Password' }).click()
      await expect.poll(() => page.getByText(text, { exact: true }).count()).toBe(4)
    }
    expect(await page.evaluate('window.hit')).toBeUndefined()
    await visit.expectSound('history')
  },
)
