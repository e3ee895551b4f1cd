import type { CDPSession } from 'playwright-core'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { expectFault } from '../support/client.ts'
import { totpCode } from '../support/hardware-token.ts'
import { commonPki } from '../support/pki.ts'
import { closeBrowser, Visit, type VisitOptions } from './browser-kit.ts'

/** With an authenticator that Chromium has inside: what the browser asks for, takes and refuses is its own. */

const host = 'localhost'
const appliance = applianceForTests(() =>
  TestAppliance.own({
    login: { types: ['totp', 'hwkey_otp', 'webauthn'], webauthn: { rpId: host } },
  }),
)

afterAll(() => closeBrowser())

/** A person whose device makes passkeys, before the own account. */
async function atAccount(options: VisitOptions = {}, at = appliance): Promise<Holder> {
  const visit = await Visit.start(at, { host, ...options })
  const { device, authenticatorId } = await visit.withAuthenticator()
  const user = await at.addUser(['read', 'active'])
  await visit.logIn(user)
  await visit.open('/me')
  await visit.sees('Your account')
  return { visit, user, device, authenticatorId }
}

interface Holder {
  readonly visit: Visit
  readonly user: TestUser
  readonly device: CDPSession
  readonly authenticatorId: string
}

async function register({ visit: { page }, user }: Holder, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Register passkey' }).click()
  await page.getByLabel('Passkey name').fill(name)
  await page.getByRole('dialog').getByLabel('Code from one of your devices').fill(user.hardwareToken.press())
  await page.getByRole('dialog').getByRole('button', { name: 'Register passkey' }).click()
}

async function registered(holder: Holder, name: string): Promise<void> {
  const { page } = holder.visit
  await register(holder, name)
  await page.getByText(`Passkey ${name} registered.`).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

async function logOut({ page }: Visit): Promise<void> {
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByText('You have logged out.').waitFor()
}

async function logInByPasskey({ page }: Visit, user: TestUser, passphrase = user.passphrase): Promise<void> {
  await page.getByLabel('Username').fill(user.username)
  await page.getByLabel('Pass phrase', { exact: true }).fill(passphrase)
  await page.getByLabel('Application key').fill(appliance.applicationKey)
  await page.getByText('Passkey', { exact: true }).click()
  await expect.poll(() => page.getByLabel('Code from the app').count()).toBe(0)
  await page.getByRole('button', { name: 'Log in' }).click()
}

it('a passkey is registered, logs in, gets another name, is removed, and logs in no more', async () => {
  const holder = await atAccount()
  const { visit, user } = holder
  const { page } = visit
  await page.getByText('You have no passkeys yet.').waitFor()
  await registered(holder, 'Key on my desk')
  await page
    .getByText(/^added .*, not used yet$/)
    .last()
    .waitFor()
  await logOut(visit)
  await logInByPasskey(visit, user)
  await visit.sees('Your account')
  await page.getByText('Key on my desk', { exact: true }).waitFor()

  const hostile = '<img src=x onerror=alert(1)> {{7*7}} \u202e'
  await page.getByRole('button', { name: 'Rename the passkey Key on my desk' }).click()
  await page.getByLabel('Passkey name').fill(hostile)
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await page.getByText(hostile.replace('\u202e', '[U+202E]'), { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Remove the passkey' }).click()
  await page.getByRole('dialog').getByLabel('Code from one of your devices').fill(user.hardwareToken.press())
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('You have no passkeys yet.').waitFor()
  await logOut(visit)
  await logInByPasskey(visit, user)
  await page.getByRole('alert').getByText('(1201)').waitFor()
  visit.complaints.expect(/status of 403/)
})

it('who has a passkey changes passkeys and devices by it, without a code', async () => {
  const holder = await atAccount()
  const { visit, user } = holder
  const { page } = visit
  await registered(holder, 'First')
  const dialog = page.getByRole('dialog')
  const confirm = async (button: string): Promise<void> => {
    await dialog.getByText('Passkey', { exact: true }).click()
    await dialog.getByLabel('Code from one of your devices').waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: button }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: 'Add authenticator app' }).click()
  const secret = (await dialog.locator('code').textContent())?.replaceAll(' ', '') ?? ''
  await dialog.getByLabel('Code from the new app').fill(totpCode(secret))
  await confirm('Add app')
  const removal = page.getByRole('button', { name: /^Remove Hardware token/ })
  await removal.click()
  await confirm('Remove')
  await removal.waitFor({ state: 'detached' })
  const { username, passphrase } = user
  const login = { username, passphrase, apikey: appliance.applicationKey, otp: user.hardwareToken.press() }
  expectFault(await appliance.client().post('/auth', login), 403, 1201)
})

it('an administrator sees the passkeys of a user, and takes one away, which logs in no more', async () => {
  const holder = await atAccount()
  const { user } = holder
  await registered(holder, 'Key on my desk')
  await logOut(holder.visit)
  const visit = await Visit.start(appliance, { host, width: 360 })
  const { page } = visit
  await visit.logIn(await appliance.addUser(['read', 'admin', 'active']))
  await visit.open(`/administration/users/${user.id}`)
  const passkeys = page.getByRole('region', { name: 'Passkeys' })
  await passkeys.getByText('Key on my desk').waitFor()
  await passkeys.getByText('Not used yet').waitFor()
  await passkeys.getByRole('button', { name: 'Remove the passkey Key on my desk' }).click()
  await visit.expectSound('administration-passkey-removal')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await visit.hears('Passkey removed.')
  await passkeys.getByText('No passkeys. Users register passkeys').waitFor()
  await visit.expectSound('administration-passkeys')
  await logInByPasskey(holder.visit, user)
  await holder.visit.page.getByRole('alert').getByText('(1201)').waitFor()
  holder.visit.complaints.expect(/status of 403/)
})

it('a login that was refused is made again with a new challenge, and nothing that was typed is lost', async () => {
  const holder = await atAccount()
  const { visit, user } = holder
  await registered(holder, 'Telephone')
  await logOut(visit)
  await logInByPasskey(visit, user, 'not the pass phrase')
  await visit.page.getByRole('alert').getByText('(1201)').waitFor()
  await visit.page.getByLabel('Pass phrase', { exact: true }).fill(user.passphrase)
  await visit.page.getByRole('button', { name: 'Log in' }).click()
  await visit.sees('Your account')
  expect(visit.asked.filter((url) => url.endsWith('/auth/challenge'))).toHaveLength(2)
  visit.complaints.expect(/status of 403/)
})

it('a browser that gives or makes no passkey says so, and the code stays for the next try', async () => {
  const holder = await atAccount()
  const { visit, user, device, authenticatorId } = holder
  const { page } = visit
  await registered(holder, 'Laptop')
  await register(holder, 'Laptop again')
  await page.getByRole('alert').getByText('This device already has one of your passkeys.').waitFor()
  expect(await page.getByRole('dialog').getByLabel('Code from one of your devices').inputValue()).not.toBe('')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await device.send('WebAuthn.clearCredentials', { authenticatorId })
  await logOut(visit)
  await logInByPasskey(visit, user)
  await page.getByRole('alert').getByText('No passkey was received').waitFor()
})

it('at an address that passkeys are not bound to none is made', async () => {
  const holder = await atAccount({ host: '127.0.0.1' })
  await register(holder, 'Elsewhere')
  await holder.visit.page.getByRole('alert').getByText('Passkeys only work at another address').waitFor()
})

it.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
] as const)('has no finding in %s at %i pixels', async (theme, width) => {
  const holder = await atAccount({ theme, width })
  const { visit } = holder
  const { page } = visit
  await register(holder, 'A'.repeat(64))
  const said = await page.getByText(`Passkey ${'A'.repeat(64)} registered.`).boundingBox()
  expect(said === null ? Infinity : said.x + said.width).toBeLessThanOrEqual(width)
  await page.getByText('A'.repeat(64), { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Remove the passkey' }).click()
  await page.getByRole('dialog').getByLabel('Code from one of your devices').waitFor()
  await visit.expectSound('me-passkey-removal')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await visit.expectSound('me-passkeys')
  await page.getByRole('button', { name: 'Register passkey' }).click()
  await page.getByLabel('Passkey name').waitFor()
  await visit.expectSound('me-passkey-registration')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await logOut(visit)
  await page.getByText('Passkey', { exact: true }).click()
  await visit.expectSound('login-passkey')
})

it('where makes are named, the browser’s own authenticator says another, is refused, and the person told so', async () => {
  const attestation = { ca: commonPki().ca }
  const strict = await TestAppliance.own({
    login: { types: ['totp', 'hwkey_otp', 'webauthn'], webauthn: { rpId: host, attestation } },
  })
  onTestFinished(() => strict.close())
  const holder = await atAccount({}, strict)
  const { page } = holder.visit
  const asked = page.waitForRequest((request) => request.url().endsWith('/me/passkeys'))
  await register(holder, 'Browser')
  const { registration } = (await asked).postDataJSON() as { registration: { response: { attestationObject: string } } }
  const statement = Buffer.from(registration.response.attestationObject, 'base64url').toString('latin1')
  expect(statement).toMatch(/packed.*x5c/s)
  await page.getByRole('alert').filter({ hasText: '(1774)' }).waitFor()
  holder.visit.complaints.expect(/status of 400/)
})
