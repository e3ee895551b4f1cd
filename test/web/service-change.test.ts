import { expect, it } from 'vitest'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

it('of two administrators who change a service account at once each changes what they have changed', async () => {
  const visit = await stage.visitor()
  await visit.logIn(await stage.appliance.addUser(['read', 'createVault', 'admin', 'active']))
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
  await dialog.getByLabel('Ends').fill('12030-01-01T00:00')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Write a year of four digits.').waitFor()
  await dialog.getByLabel('Ends').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const read = await other.must('GET', `/service/${id}`)
  expect(read.CALLINFO['service']).toMatchObject({ ...changes, description: 'After' })
})
