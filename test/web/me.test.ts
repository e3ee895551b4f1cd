import { describe, expect, it } from 'vitest'
import { nextTotpCode, totpCode } from '../support/hardware-token.ts'
import { stockToken } from '../support/own-device-kit.ts'
import type { TestUser } from '../support/appliance.ts'
import type { Visit, VisitOptions } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

/** A person who has come to the own account. */
async function atHome(options?: VisitOptions): Promise<{ visit: Visit; user: TestUser }> {
  const user = await stage.appliance.addUser(['read', 'active'])
  const visit = await stage.visitor(options)
  await visit.arrive(user)
  await visit.open('/me')
  await visit.sees('Your account')
  return { visit, user }
}

describe('the own account', () => {
  it('writes days as the other views do', async () => {
    const { visit } = await atHome()
    const day = new Date().toLocaleDateString('en-GB', { dateStyle: 'medium' })
    await visit.page.getByText(`Last changed on ${day}.`).waitFor()
    expect(await visit.page.locator('main').textContent()).not.toMatch(/\d\/\d/)
  })

  it('takes an authenticator app, which logs in from then on', async () => {
    const { visit, user } = await atHome()
    const { page } = visit
    await page.getByRole('button', { name: 'Add authenticator app' }).click()
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    const secret = ((await page.locator('.seed code').textContent()) ?? '').replaceAll(' ', '')
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    await visit.expectSound('me-app')
    await page.getByLabel('Code from the new app').fill(totpCode(secret))
    await page.getByRole('dialog').getByLabel('Code from one of your devices').fill(user.hardwareToken.press())
    await page.getByRole('button', { name: 'Add app' }).click()
    await visit.hears('Authenticator app added.')
    await expect.poll(() => page.getByText('Authenticator app', { exact: true }).count()).toBe(2)
    // Of two apps the question names the one that is removed.
    const [remove] = [page.getByRole('button', { name: /^Remove Authenticator app, added on \d.*:\d\d$/ }).last()]
    const name = (await remove.getAttribute('aria-label'))?.replace('Remove ', '') ?? ''
    await remove.click()
    await page.getByRole('dialog').getByText(`${name}. You can no longer log in with it.`).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    const { status } = await stage.appliance.client().post('/auth', {
      ...stage.appliance.credentials(user),
      otp: nextTotpCode(secret),
    })
    expect(status).toBe(200)
  })

  it('takes a hardware token, and gives a device up', async () => {
    const { visit, user } = await atHome()
    const { page } = visit
    const token = await stockToken(stage.appliance)
    await page.getByRole('button', { name: 'Add hardware token' }).click()
    await page.getByRole('dialog').getByLabel('Code from one of your devices').fill(user.hardwareToken.press())
    await page.getByLabel('Touch the new token').fill(token.press())
    await page.getByRole('dialog').getByRole('button', { name: 'Add hardware token' }).click()
    await page.getByText(`Hardware token ${token.publicId}`).waitFor()
    await page.getByRole('button', { name: `Remove Hardware token ${token.publicId}` }).click()
    await page.getByRole('dialog').getByLabel('Code from one of your devices').fill(user.hardwareToken.press())
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => page.getByText(`Hardware token ${token.publicId}`).count()).toBe(0)
  })

  it('changes the pass phrase with its strength shown, and ends other sessions', async () => {
    const { visit, user } = await atHome()
    const { page } = visit
    const other = await stage.appliance.login(user)
    await page.getByLabel('Current pass phrase', { exact: true }).fill(user.passphrase)
    await page.getByLabel('New pass phrase', { exact: true }).fill('abc')
    await page.getByText('At least 12 characters, unless your administrator').waitFor()
    await page.getByText('Strength: Very easy to guess').waitFor()
    const next = 'seven wooden lanterns on the quay'
    await page.getByLabel('New pass phrase', { exact: true }).fill(next)
    await page.getByText('Strength: Very strong').waitFor()
    await page.getByLabel('Confirm new pass phrase', { exact: true }).fill(next)
    // What is typed is shown on demand, each field for itself.
    await page.getByRole('button', { name: 'Show New pass phrase' }).click()
    const types = await page.locator('input[name=present], input[name=next], input[name=again]').all()
    expect(await Promise.all(types.map((input) => input.getAttribute('type')))).toEqual([
      'password',
      'text',
      'password',
    ])
    await page.getByLabel('Code from one of your devices').fill(user.hardwareToken.press())
    await page.getByRole('button', { name: 'Change pass phrase' }).click()
    await visit.hears('Pass phrase changed.')
    expect((await other.post('/auth/check')).status).toBe(403)
  })

  it('ends all other sessions, and saves the e-mail address', async () => {
    const { visit, user } = await atHome()
    const { page } = visit
    const other = await stage.appliance.login(user)
    await page.reload()
    const minutes = Number((await other.must('GET', '/me')).CALLINFO['timeout']) / 60_000
    expect(minutes).toBeGreaterThan(10)
    await page
      .getByText(
        `This page locks after 10 minutes of inactivity, and a session ends after ${minutes} minutes without calls`,
      )
      .waitFor()
    await page.getByRole('button', { name: 'End all other sessions' }).click()
    await visit.hears('One session ended.')
    expect((await other.post('/auth/check')).status).toBe(403)
    await page.getByLabel('Email address').fill('me at example.org')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Enter an email address, such as name@example.org.').waitFor()
    await page.getByLabel('Email address').fill('me@example.org')
    await page.getByRole('button', { name: 'Save' }).click()
    await visit.hears('Email address saved.')
    await page.getByRole('button', { name: 'Save' }).click()
    await visit.hears('The email address was not changed.')
  })

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
  ] as const)('has no finding in %s at %i pixels', async (theme, width) => {
    const { visit, user } = await atHome({ theme, width })
    const admin = await stage.appliance.login(await stage.appliance.addUser(['read', 'admin', 'active']))
    const named = { name: `of.${user.id}`, owner: user.id, description: 'L'.repeat(128) }
    await admin.must('POST', '/service', named)
    await visit.page.reload()
    await visit.page.getByText(named.description).waitFor()
    await visit.page.getByRole('button', { name: 'Add authenticator app' }).waitFor()
    await visit.expectSound('me')
  })
})
