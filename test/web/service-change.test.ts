import { expect, it } from 'vitest'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

it('of two administrators who change a service account at once each changes what they have changed', async () => {
  const visit = await stage.visitor()
  await visit.arrive(await stage.appliance.addUser(['read', 'createVault', 'admin', 'active']))
  const { page } = visit
  const other = await stage.appliance.login(await stage.appliance.addUser(['read', 'createVault', 'admin', 'active']))
  const { CALLINFO } = await other.must('POST', '/service', { name: 'mailer', description: 'Before' })
  const { id, name } = CALLINFO['service'] as { id: string; name: string }
  await visit.open(`/administration/services/${id}`)
  await visit.sees(name)
  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Description').fill('After')
  const changes = { addresses: ['192.0.2.0/24'], expires: '2030-01-01T00:00:00.000Z' }
  await other.must('PUT', `/service/${id}`, changes)
  await dialog.getByLabel('Expires').fill('12030-01-01T00:00')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Enter a year with four digits.').waitFor()
  await dialog.getByLabel('Expires').fill('')
  await dialog.getByLabel('Expires').pressSequentially('03')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Complete the date, or clear it.').waitFor()
  await dialog.getByLabel('Expires').fill('')
  // An account always has an owner, so that field cannot be left empty.
  const owner = await dialog.getByLabel('Owner').inputValue()
  await dialog.getByLabel('Owner').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Fill in this field.').waitFor()
  await dialog.getByLabel('Owner').fill(owner)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const read = await other.must('GET', `/service/${id}`)
  expect(read.CALLINFO['service']).toMatchObject({ ...changes, description: 'After' })
})

it('who looks after a service account finds it on the own page, and changes it without being an administrator', async () => {
  const admin = await stage.appliance.login(await stage.appliance.addUser(['read', 'createVault', 'admin', 'active']))
  const owner = await stage.appliance.addUser(['read', 'active'])
  const { CALLINFO } = await admin.must('POST', '/service', { name: 'courier', owner: String(owner.id) })
  const { id } = CALLINFO['service'] as { id: string }
  await admin.must('POST', '/service', { name: 'stranger' })
  const visit = await stage.visitor()
  await visit.arrive(owner)
  const { page } = visit
  await visit.open('/me')
  await visit.sees('Your account')
  const own = page.getByRole('region', { name: 'Your service accounts' })
  await own.waitFor()
  expect(await own.getByRole('link').allTextContents()).toEqual(['courier'])
  await visit.expectSoundInAll('me-services')
  await own.getByRole('link', { name: 'courier' }).click()
  await visit.sees('courier')
  await page.reload()
  await visit.sees('courier')
  await visit.expectSoundInAll('own-service')
  expect(await page.getByRole('link', { name: owner.username, exact: true }).count()).toBe(0)
  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Description').fill('Takes letters')
  expect(await dialog.getByLabel('Owner').count()).toBe(0)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await admin.must('GET', `/service/${id}`)).CALLINFO['service']).toMatchObject({
    description: 'Takes letters',
    owner: { id: String(owner.id) },
  })
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await visit.sees('Your account')
  await own.getByText('Disabled').waitFor()
  expect(await page.getByText('stranger').count()).toBe(0)
  for (const part of ['users', 'services', `services/${id}`]) {
    await visit.open(`/administration/${part}`)
    await visit.sees('You do not have access to this page')
    await visit.open('/me')
    await visit.sees('Your account')
  }
})
