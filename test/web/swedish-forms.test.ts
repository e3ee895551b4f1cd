import { expect, it } from 'vitest'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

it('the built-in templates speak the language of the person, wherever they are read', async () => {
  const { user, vaultid, server, folder } = stage.stocked
  const visit = await stage.visitor()
  await visit.logIn(user)
  const { page } = visit
  await page.getByRole('button', { name: 'Svenska' }).click()
  await visit.sees('Valv')

  await visit.open(`/vault/${vaultid}/${folder}`)
  await visit.sees('Core routers')
  await page.getByRole('columnheader', { name: 'Användarnamn' }).waitFor()

  await visit.open(`/object/${server}`)
  await visit.sees('core1.example.test')
  await page.getByRole('button', { name: 'Visa Lösenord' }).waitFor()
  expect(await page.locator('dt').allTextContents()).toEqual(
    expect.arrayContaining(['Värd', 'Användarnamn', 'Lösenord']),
  )
  await page.getByText('Rack 14').waitFor()
  await visit.expectSoundInAll('object-swedish')

  await visit.open(`/vault/${vaultid}/about`)
  await page.getByText('Ingen', { exact: true }).waitFor()

  await visit.open(`/vault/${vaultid}/0/new`)
  await page.getByLabel('Sök bland mallar').fill('kreditk')
  await page.getByRole('button', { name: /Kreditkort/ }).click()
  await page.getByRole('textbox', { name: 'Kortnummer' }).waitFor()
  await page.getByRole('button', { name: 'English' }).click()
  await page.getByRole('textbox', { name: 'Card number' }).waitFor()
  expect(await page.getByText('Kortnummer').count()).toBe(0)
})
