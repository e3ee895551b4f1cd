import { expect, it } from 'vitest'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

it('the built-in templates speak the language of the person, wherever they are read', async () => {
  const { user, vaultid, server, folder } = stage.stocked
  const visit = await stage.visitor()
  await visit.arrive(user)
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

it('a phone shows the whole menus in both languages, and the choice of a file in the words of the console', async () => {
  const { user, vaultid } = await stage.owner('Skåp', ['read', 'createVault', 'admin', 'active'])
  const visit = await stage.visitor({ width: 360 })
  await visit.arrive(user)
  const { page } = visit
  const excess = (menu: string) =>
    page.evaluate(`(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('${menu}'))`)
  await visit.open('/administration/templates')
  await visit.sees('Templates')
  expect([await excess('.places'), await excess('.parts')]).toEqual([0, 0])
  await page.getByRole('button', { name: 'Svenska' }).click()
  await visit.sees('Mallar')
  expect([await excess('.places'), await excess('.parts')]).toEqual([0, 0])
  await visit.open(`/vault/${vaultid}/keys`)
  await page.getByRole('button', { name: 'Återställ säkerhetskopia' }).click()
  const dialog = page.getByRole('dialog')
  const chooses = page.waitForEvent('filechooser')
  await dialog.getByText('Ingen fil vald').waitFor()
  await dialog.getByText('Välj en fil').click({ force: true })
  await (await chooses).setFiles({ name: 'orders.backup', mimeType: '', buffer: Buffer.from('no backup') })
  await dialog.getByText('orders.backup').waitFor()
  await visit.expectSoundInAll('file-swedish')
})

it('a phone shows all of the dialogs whose words are long', async () => {
  const { user, client, vaultid } = await stage.owner('Kiosk', ['read', 'createVault', 'admin', 'active'])
  const { CALLINFO } = await client.must('POST', '/service', { name: 'kassasystem' })
  const visit = await stage.visitor({ width: 360 })
  await visit.arrive(user)
  const { page } = visit
  await page.getByRole('button', { name: 'Svenska' }).click()
  const dialog = page.getByRole('dialog')
  const cut = () =>
    page.evaluate(`(() => {
      const dialog = document.querySelector('[role=dialog]')
      const { left, right } = dialog.getBoundingClientRect()
      const isOutside = (one) => one.getBoundingClientRect().left < left || one.getBoundingClientRect().right > right
      return [...dialog.querySelectorAll('button')].filter(isOutside).map((one) => one.textContent)
    })()`)
  await visit.open(`/administration/services/${(CALLINFO['service'] as { id: string }).id}`)
  await page.getByRole('button', { name: 'Lägg till autentiseringsuppgift' }).click()
  await dialog.waitFor()
  expect(await cut()).toEqual([])
  await page.keyboard.press('Escape')
  await visit.open(`/vault/${vaultid}/about`)
  await page.getByRole('button', { name: 'Dela' }).click()
  // What the field is for stands in it.
  await dialog.getByRole('searchbox').waitFor()
  const isCut = await page.evaluate(`(() => {
    const field = document.querySelector('[role=dialog] [type=search]')
    const pen = document.createElement('canvas').getContext('2d')
    const { font, paddingLeft, paddingRight } = getComputedStyle(field)
    pen.font = font
    return pen.measureText(field.placeholder).width > field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
  })()`)
  expect(isCut).toBe(false)
})

it('the state of the appliance is told in sentences of both languages, with times as elsewhere', async () => {
  const { user } = await stage.owner('Stativ', ['read', 'createVault', 'admin', 'active'])
  const visit = await stage.visitor()
  await visit.arrive(user)
  const { page } = visit
  await visit.open('/administration/state')
  await page.getByText('It seals.').waitFor()
  await page.getByText(/^It shows \d+ .*:\d\d\.$/).waitFor()
  await page.getByRole('button', { name: 'Svenska' }).click()
  await page.getByText('Den förseglar.').waitFor()
  await page.getByText(/^Den visar \d+ .*:\d\d\.$/).waitFor()
  expect(await page.locator('[aria-labelledby=checks] [lang=en]').allTextContents()).toEqual([])
})

it('the list of keys has room for what a key allows, in Swedish too', async () => {
  const { user, client, vaultid } = await stage.owner('Nycklar')
  await client.must('POST', `/transparent/${vaultid}/keys/orders`, {})
  const visit = await stage.visitor()
  await visit.arrive(user)
  const { page } = visit
  await page.getByRole('button', { name: 'Svenska' }).click()
  await visit.open(`/vault/${vaultid}/keys`)
  await page.getByText('Säkerhetskopiering, radering').waitFor()
  const cut =
    "[...document.querySelectorAll('[role=table] [role=cell]')].filter((one) => one.scrollWidth > one.clientWidth)"
  expect(await page.evaluate(`${cut}.map((one) => one.textContent)`)).toEqual([])
})
