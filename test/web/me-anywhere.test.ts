import { expect, it } from 'vitest'
import { totpCode } from '../support/hardware-token.ts'
import type { VisitOptions } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'
import { hostileTexts } from './hostile-corpus.ts'

const stage = consoleStage()

async function atHome(options?: VisitOptions) {
  const user = await stage.appliance.addUser(['read', 'active'])
  const visit = await stage.visitor(options)
  await visit.arrive(user)
  await visit.open('/me')
  await visit.sees('Your account')
  return { user, visit, page: visit.page }
}

it('the own account shows names, devices and sessions as texts, whatever they are called', async () => {
  const { user, visit, page } = await atHome()
  const { services, commit, url } = stage.appliance
  const client = await stage.appliance.login(user)
  /** Has the appliance's list say the text. */
  const call = (path: string, list: string, member: string, text: string): Promise<unknown> =>
    page.route(`${url}${path}`, async (route) => {
      const answer = await client.must('GET', path)
      const rows = answer.CALLINFO[list] as readonly object[]
      const called = rows.map((row) => ({ ...row, [member]: text }))
      await route.fulfill({ json: { ...answer, CALLINFO: { ...answer.CALLINFO, [list]: called } } })
    })
  for (const text of hostileTexts) {
    await services.users.change(user.id, { fullname: text }, commit)
    await call(`/user/${user.id}/otp`, 'otpdevices', 'public_id', text)
    await call(`/user/${user.id}/sessions`, 'sessions', 'application', text)
    await page.reload()
    await visit.sees('Your account')
    await page.getByRole('definition').getByText(text, { exact: true }).waitFor()
    await page.getByText(`Hardware token ${text}`, { exact: true }).waitFor()
    await page.getByText(`127.0.0.1, application key ${text}`, { exact: true }).first().waitFor()
    await page.getByRole('button', { name: `Remove Hardware token ${text}`, exact: true }).click()
    await page.getByRole('dialog').getByText(text).waitFor()
    await page.keyboard.press('Escape')
    await page.unrouteAll({ behavior: 'wait' })
  }
  expect(await page.evaluate('window.hit')).toBeUndefined()
  expect(await page.locator('iframe, script:not([src]), [onerror], [onload], [onfocus], style').count()).toBe(0)
})

it('all of the own account is done by the keyboard alone', async () => {
  const { user, visit, page } = await atHome()
  const other = await stage.appliance.login(user)
  await page.reload()
  await visit.sees('Your account')
  await page.getByRole('button', { name: 'End all other sessions' }).waitFor()
  await visit.tabTo('Email address')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('keys@example.org')
  await page.keyboard.press('Enter')
  await visit.hears('Email address saved.')

  await visit.tabTo('Add authenticator app')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  const secret = ((await dialog.locator('.seed code').textContent()) ?? '').replaceAll(' ', '')
  await visit.tabTo('Code from the new app')
  await page.keyboard.type(totpCode(secret))
  await visit.tabTo('Code from one of your devices')
  await page.keyboard.type(user.hardwareToken.press())
  await page.keyboard.press('Enter')
  await visit.hears('Authenticator app added.')
  await dialog.waitFor({ state: 'detached' })
  // The way goes on from where it was.
  await expect.poll(() => visit.focused()).toBe('Add authenticator app')
  await visit.tabTo('Add hardware token')
  await page.keyboard.press('Enter')
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => visit.focused()).toBe('Add hardware token')

  await visit.tabTo('End all other sessions')
  await page.keyboard.press('Space')
  await visit.hears('One session ended.')
  expect((await other.post('/auth/check')).status).toBe(403)
  await visit.tabTo('English')
  await page.keyboard.press('ArrowRight')
  await visit.sees('Ditt konto')
})

it.each([
  ['dark', 1280],
  ['light', 360],
] as const)('the own account speaks Swedish, in %s colours and %i pixels', async (theme, width) => {
  const { user, visit, page } = await atHome({ theme, width })
  await page.getByText('Svenska', { exact: true }).last().click()
  await visit.sees('Ditt konto')
  expect(await page.evaluate('document.documentElement.lang')).toBe('sv')
  const headings = ['Profil', 'Lösenfras', 'Enheter', 'Sessioner', 'Smartkort', 'Språk och tema']
  expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(headings)
  await page.getByText(/^Sidan låses efter .+ och en session avslutas efter .+ utan anrop\./).waitFor()
  await visit.expectSound('me-swedish')
  await page.getByLabel('Nuvarande lösenfras', { exact: true }).fill('not the pass phrase')
  const next = 'sju lyktor av trä på kajen'
  await page.getByLabel('Ny lösenfras', { exact: true }).fill(next)
  await page.getByText('Styrka: Mycket stark').waitFor()
  await page.getByLabel('Bekräfta den nya lösenfrasen', { exact: true }).fill(next)
  await page.getByLabel('Kod från en av dina enheter').fill(user.hardwareToken.press())
  await page.getByRole('button', { name: 'Byt lösenfras' }).click()
  // The refusal is Swedish, too, and what was typed stands.
  await page.getByRole('alert').getByText('(1201)').waitFor()
  expect(await page.getByRole('alert').locator('[lang=en]').count()).toBe(0)
  await page.getByLabel('Nuvarande lösenfras', { exact: true }).fill(user.passphrase)
  await page.getByLabel('Kod från en av dina enheter').fill(user.hardwareToken.press())
  await page.getByRole('button', { name: 'Byt lösenfras' }).click()
  await page.getByText('Lösenfrasen är bytt.').waitFor()
  await page.getByRole('button', { name: 'Lägg till autentiseringsapp' }).click()
  await page.getByRole('img', { name: 'QR-kod för autentiseringsappen' }).waitFor()
  expect(await visit.findings()).toEqual([])
  visit.complaints.expect(/status of 403/)
})
