import { describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import type { TestUser } from '../support/appliance.ts'
import { totpCode } from '../support/hardware-token.ts'
import type { Visit } from './browser-kit.ts'
import { memberOf } from './console-vault.ts'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

/** By the form: what a page holds after a login is judged, too. */
async function member(): Promise<Visit> {
  const visit = await stage.visitor()
  await visit.logIn(await memberOf(stage.stocked, stage.appliance))
  return visit
}

const logout = '**/api/1.0/auth/logout'
const unheard = 'The appliance could not be told that you logged out.'
const logOut = (page: Page): Promise<void> => page.getByRole('button', { name: 'Log out' }).click()
const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))

describe('a logout', () => {
  it('does not wait for the stage.appliance, but the next login waits for it', async () => {
    const visit = await member()
    const { page } = visit
    await visit.open(`/object/${stage.stocked.server}`)
    await page.getByRole('button', { name: 'Show Password' }).click()
    await page.getByText('S3cret-pass.phrase').waitFor()
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route(logout, async (route) => {
      await released
      await route.continue()
    })
    const next = await memberOf(stage.stocked, stage.appliance)
    await logOut(page)
    await page.getByText('You have logged out.').waitFor()
    expect(await page.content()).not.toMatch(/S3cret|core1/)
    await visit.fillIn(next)
    await wait(500)
    const logins = (): string[] => visit.asked.filter((url) => url.endsWith('/api/1.0/auth'))
    expect(logins()).toHaveLength(1)
    release()
    await visit.sees('core1.example.test')
    expect(logins()).toHaveLength(2)
    await page.reload()
    await visit.sees('core1.example.test')
  })

  it('that the appliance did not hear is said so, and told when the network is back', async () => {
    const visit = await member()
    const { page, context } = visit
    await context.setOffline(true)
    await logOut(page)
    await page.getByText(unheard).waitFor()
    expect(await context.cookies()).toHaveLength(1)
    await context.setOffline(false)
    await page.getByText(unheard).waitFor({ state: 'detached' })
    await page.getByText('You have logged out.').waitFor()
    expect(await context.cookies()).toEqual([])
    visit.complaints.expect(/net::ERR_INTERNET_DISCONNECTED/)
  })

  it('that was refused is told again when the page is loaded, and before a login', async () => {
    const visit = await member()
    const { page, context } = visit
    await page.route(logout, (route) => route.fulfill({ status: 503, json: { CALLINFO: { status: 'FAILURE' } } }))
    await logOut(page)
    await page.getByText(unheard).waitFor()
    await page.reload()
    await page.getByText(unheard).waitFor()
    expect(await context.cookies()).toHaveLength(1)
    await page.unroute(logout)
    await visit.fillIn(await memberOf(stage.stocked, stage.appliance))
    await visit.sees('Vaults')
    const calls = visit.asked.filter((url) => /\/auth(\/logout)?$/.test(url)).map((url) => url.replace(/^.*\/auth/, ''))
    expect(calls).toEqual(['', '/logout', '/logout', '/logout', ''])
    await logOut(page)
    await page.getByText('You have logged out.').waitFor()
    await expect.poll(() => context.cookies()).toEqual([])
    visit.complaints.expect(/status of 503/)
  })

  it('takes the files along that were read', async () => {
    const visit = await stage.visitor()
    const { page } = visit
    await page.addInitScript(`
      globalThis.revoked = 0
      const revoke = URL.revokeObjectURL
      URL.revokeObjectURL = (address) => { revoked++; revoke.call(URL, address) }
    `)
    await visit.logIn(await memberOf(stage.stocked, stage.appliance))
    await visit.open(`/object/${stage.stocked.file}`)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    await (await saving).path()
    expect(await page.evaluate('revoked')).toBe(0)
    await logOut(page)
    await page.getByText('You have logged out.').waitFor()
    expect(await page.evaluate('revoked')).toBe(1)
  })

  it('leaves the names of vaults and objects out of the history', async () => {
    const visit = await member()
    await visit.open(`/vault/${stage.stocked.vaultid}`)
    await visit.sees('Network')
    expect(await visit.page.title()).toBe('Vault · Strongroom')
    await visit.open(`/object/${stage.stocked.server}`)
    await visit.sees('core1.example.test')
    expect(await visit.page.title()).toBe('Object · Strongroom')
  })
})

describe('idleness', () => {
  const locked = 'because you were inactive'

  it('is not undone by what is done after a sleep', async () => {
    const visit = await stage.visitor()
    const { page } = visit
    await page.clock.install()
    await visit.logIn(await memberOf(stage.stocked, stage.appliance))
    // The clock goes on, and no timer runs.
    await page.clock.setSystemTime(Date.now() + 50 * 60_000)
    await page.keyboard.press('Tab')
    await page.getByText(locked).waitFor()
    await expect.poll(() => visit.context.cookies()).toEqual([])
  })

  it('goes on while no page is open', async () => {
    const visit = await member()
    await visit.page.close()
    const other = await visit.context.newPage()
    await other.goto(`${stage.appliance.url}/docs`)
    await other.evaluate(`localStorage.setItem('strongroom.active', String(Date.now() - 50 * 60_000))`)
    await other.goto(`${visit.origin}/#/`)
    await other.getByText(locked).waitFor()
    await expect.poll(() => visit.context.cookies()).toEqual([])
  })

  it('is asked about a minute before the end, in both colours without a finding of axe-core', async () => {
    const visit = await stage.visitor()
    const { page } = visit
    await page.clock.install()
    await visit.logIn(await memberOf(stage.stocked, stage.appliance))
    await page.clock.runFor(8.5 * 60_000)
    await visit.sees('Vaults')
    // Not far into the last minute, of which the clock itself takes what axe-core takes.
    await page.clock.runFor(40_000)
    const question = page.getByRole('alertdialog', { name: 'Are you still there?' })
    await question.waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await visit.findings()).toEqual([])
    }
    await page.keyboard.press('Enter')
    await question.waitFor({ state: 'detached' })
    await page.clock.runFor(8 * 60_000)
    await visit.sees('Vaults')
    // Not on into the patience of the logout, which would give it up and send another.
    await page.clock.runFor(2 * 60_000 + 6_000)
    await page.getByText(locked).waitFor()
  })
})

describe('work under way', () => {
  it('puts the lock off until it is done, and what is typed and not sent does not', async () => {
    const { client, vaultid } = stage.stocked
    const user = await stage.appliance.addUser()
    await client.must('POST', `/vault/${vaultid}/member/${user.id}`, { status: 2 })
    const visit = await stage.visitor()
    const { page } = visit
    await page.clock.install()
    await visit.logIn(user)
    let answer = (): void => undefined
    const answered = new Promise<void>((resolve) => (answer = resolve))
    await page.route(`${stage.appliance.url}/object`, async (route) => {
      await answered
      await route.continue()
    })
    await visit.open(`/vault/${vaultid}/0/new`)
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose a file' }).click()
    await (await chooser).setFiles({ name: 'long.txt', mimeType: 'text/plain', buffer: Buffer.from('long') })
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('progressbar', { name: 'Uploading long.txt' }).waitFor()
    await page.clock.runFor(25 * 60_000)
    expect(await page.getByRole('alertdialog').count()).toBe(0)
    answer()
    await visit.sees('Network')
    await page.clock.runFor(8 * 60_000)
    await visit.open(`/vault/${vaultid}/0/new`)
    await page.getByRole('searchbox').fill('Short login')
    await page.getByRole('button', { name: /^Short login/ }).click()
    await page.getByLabel('Username').fill('unsaved')
    await page.clock.runFor(9.5 * 60_000)
    await page.getByRole('alertdialog', { name: 'Are you still there?' }).waitFor()
    await page.clock.runFor(60_000)
    await page.getByText('because you were inactive').waitFor()
  })
})

describe('another tab', () => {
  it('that logs in takes all along', async () => {
    const visit = await stage.visitor()
    const other = await visit.context.newPage()
    await other.goto(`${visit.origin}/#/`)
    await other.getByRole('heading', { name: 'Log in' }).waitFor()
    await visit.logIn(await memberOf(stage.stocked, stage.appliance))
    await other.getByRole('link', { name: /Network/ }).waitFor()
  })

  it('with another person leaves nothing of the first', async () => {
    const visit = await member()
    const { page, context } = visit
    await visit.open(`/object/${stage.stocked.server}`)
    await page.getByRole('button', { name: 'Show Password' }).click()
    await page.getByText('S3cret-pass.phrase').waitFor()
    const stranger = await stage.appliance.addUser()
    const other = await context.newPage()
    await other.goto(`${visit.origin}/#/no/such/view`)
    // As a login there would, which was begun before the first person's.
    await other.evaluate(`(${takeSession})(${JSON.stringify(bodyFor(stranger))})`)
    await page.getByText('(1610)').waitFor()
    expect(await page.content()).not.toMatch(/S3cret|core1/)
    await visit.open()
    await page.getByText('No vaults are shared with you yet.').waitFor()
    await page.getByText('Another One', { exact: true }).waitFor()
    visit.complaints.expect(/status of 404/)
  })
})

it('a page that the browser kept is loaded anew, and has hidden its secrets', async () => {
  const visit = await member()
  const { page } = visit
  await visit.open(`/object/${stage.stocked.server}`)
  await page.getByRole('button', { name: 'Show Password' }).click()
  await page.getByText('S3cret-pass.phrase').waitFor()
  const kept = await page.evaluate(`
    dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))
    document.body.textContent
  `)
  expect(kept).not.toContain('S3cret')
  const loading = page.waitForEvent('load')
  await page.evaluate(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`)
  await loading
  await visit.sees('core1.example.test')
})

const bodyFor = ({ username, passphrase, totpSecret }: TestUser): string =>
  JSON.stringify({
    username,
    passphrase,
    apikey: stage.appliance.applicationKey,
    otp: totpCode(totpSecret),
    logintype: 'totp',
    session: 'cookie',
  })

const takeSession = `async (body) => {
  const headers = { 'X-Strongroom-Console': '1', 'Content-Type': 'application/json' }
  const answer = await (await fetch('/api/1.0/auth', { method: 'POST', headers, body })).json()
  const { userid, username } = answer.CALLINFO
  localStorage.setItem('strongroom.person', JSON.stringify({ userid, username, fullname: 'Another One' }))
}`
