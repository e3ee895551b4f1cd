import { expect, it } from 'vitest'
import { createObject, readObject, recordsAbout } from '../support/object-kit.ts'
import { totpCode } from '../support/hardware-token.ts'
import type { Visit } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

const label = 'One-time code seed'
const seed = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
/** As sites write it for people. */
const typed = 'gezd gnbv gy3t qojq gezd gnbv gy3t qojq'
const login = { templateid: '37', name: 'Registrar', username: 'dns', password: 'An0ther-pass' }

/** Until the code that is shown is that of the moment. */
const showsCode = ({ page }: Visit): Promise<void> =>
  expect
    .poll(async () => {
      const text = await page.getByLabel(`Code for ${label}`, { exact: true }).textContent()
      return text?.replace(' ', '') === totpCode(seed)
    })
    .toBe(true)

const page = async (visit: Visit, members: object): Promise<string> => {
  const id = await createObject(stage.stocked.client, stage.stocked.vaultid, { ...login, ...members })
  await visit.open(`/object/${id}`)
  await visit.sees('Registrar')
  return id
}

it('shows the code of a login without its seed, by a recorded call, with a copy button', async () => {
  const visit = await stage.writer({ width: 360 })
  const id = await page(visit, { totp: typed })
  await visit.page.getByRole('button', { name: `Show code for ${label}` }).click()
  await showsCode(visit)
  await visit.page.getByRole('meter', { name: /^Changes in \d+ seconds?$/ }).waitFor()
  expect(await visit.page.content()).not.toContain('gezd')
  expect(
    recordsAbout(stage.appliance, `object ${id}`).filter(({ operation }) => operation === 'object.decrypt'),
  ).toEqual(expect.arrayContaining([expect.objectContaining({ subject: `object ${id}: totp` })]))
  await visit.expectSound('login-code')
  await visit.page.getByRole('button', { name: `Copy Code for ${label}` }).click()
  await visit.hears(`Code for ${label} copied.`)
  expect(await visit.clipboard()).toMatch(/^\d{6}$/)
  await visit.page.getByRole('button', { name: `Hide code for ${label}` }).click()
  await visit.page.getByLabel(`Code for ${label}`, { exact: true }).waitFor({ state: 'detached' })
})

it('asks before the code of a login that raises an alarm, and reads nothing without an answer', async () => {
  const visit = await stage.writer()
  const id = await page(visit, { totp: `otpauth://totp/Site:me?secret=${seed}` })
  await stage.stocked.client.must('PUT', `/object/${id}/alarm`, { alarm: true })
  await visit.page.getByRole('button', { name: `Show code for ${label}` }).click()
  const question = visit.page.getByRole('alertdialog', { name: 'Raise an alarm?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect(
    recordsAbout(stage.appliance, `object ${id}`).filter(({ operation }) => operation === 'object.decrypt'),
  ).toEqual([])
  await visit.page.getByRole('button', { name: `Show code for ${label}` }).click()
  await question.getByRole('button', { name: 'Raise the alarm and continue' }).click()
  await showsCode(visit)
})

it('says where a field for seeds holds none, or is empty', async () => {
  const visit = await stage.writer()
  await page(visit, { totp: 'see the safe' })
  await visit.page.getByRole('button', { name: `Show code for ${label}` }).click()
  await visit.page.getByText('This is not a valid seed').waitFor()
  await page(visit, {})
  await visit.page.getByRole('button', { name: `Show code for ${label}` }).click()
  await visit.page.locator('output').getByText('Empty').waitFor()
})

it('takes a seed as sites write it, refuses what is none, and shows its code to be typed at the site', async () => {
  const visit = await stage.writer()
  const { vaultid, client } = stage.stocked
  await visit.open(`/vault/${vaultid}/0/new`)
  await visit.page.getByRole('searchbox').fill('one-time')
  await visit.page.getByRole('button', { name: /^Login with one-time code/ }).click()
  await visit.page.getByLabel('Name', { exact: true }).fill('Bank')
  await visit.page.getByLabel('Username').fill('me')
  await visit.page.getByLabel('Password', { exact: true }).fill('S3cret-pass.phrase')
  const field = visit.page.getByLabel(label).and(visit.page.locator('input'))
  await field.fill('no seed')
  await visit.page.getByRole('button', { name: 'Create' }).click()
  await visit.page.getByText('This is not a valid seed').waitFor()
  await visit.expectSound('login-seed')
  await field.fill(typed)
  await showsCode(visit)
  await visit.page.getByRole('button', { name: 'Create' }).click()
  await visit.sees('Bank')
  const id = /\/object\/(\d+)$/.exec(visit.page.url())?.[1] ?? ''
  expect((await readObject(client, id, '?decrypt=true')).crypted).toMatchObject({ totp: typed })
})
