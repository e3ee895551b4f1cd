import { afterAll, describe, expect, it } from 'vitest'
import { lockedUser } from '../../src/features/users/records.ts'
import { changeUser } from '../../src/features/users/user-seals.ts'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { nextTotpCode } from '../support/hardware-token.ts'
import { closeBrowser, Visit, type VisitOptions } from './browser-kit.ts'
import { looks } from './looks.ts'

const dayMs = 24 * 3_600_000
const question = 'Choose a new pass phrase'
const fresh = 'seven wooden lanterns on the quay'

const appliance = applianceForTests(() =>
  TestAppliance.own({
    login: {
      types: ['totp', 'hwkey_otp', 'webauthn'],
      webauthn: { rpId: 'localhost' },
      passphraseMaxAgeMs: 100 * dayMs,
    },
  }),
)

afterAll(() => closeBrowser())

const whoIsAsked = (): Promise<TestUser> => appliance.addUser(['read', 'changePassphrase', 'active'])

async function whoseIsOld(): Promise<TestUser> {
  const person = await appliance.addUser(['read', 'active'])
  await appliance.store.transaction(async (tx) => {
    const user = await lockedUser(tx, person.id)
    await changeUser(appliance.hsm, tx, user, { passphraseChangedAt: user.passphraseChangedAt - 101 * dayMs })
  })
  return person
}

/** Before the question, on the way to the own account. */
async function asked(user: TestUser, options?: VisitOptions): Promise<Visit> {
  const visit = await Visit.start(appliance, options)
  await visit.open('/me')
  await visit.fillIn(user)
  await visit.sees(question)
  return visit
}

async function fillInNew({ page }: Visit, user: TestUser, next: string): Promise<void> {
  await page.getByLabel('Current pass phrase', { exact: true }).fill(user.passphrase)
  await page.getByLabel('New pass phrase', { exact: true }).fill(next)
  await page.getByLabel('Confirm new pass phrase', { exact: true }).fill(next)
}

async function change(visit: Visit, user: TestUser): Promise<void> {
  await fillInNew(visit, user, fresh)
  await visit.page.getByLabel('Code from one of your devices').fill(user.hardwareToken.press())
  await visit.page.getByRole('button', { name: 'Change pass phrase' }).click()
}

const logOut = async ({ page }: Visit): Promise<void> => {
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByText('You have logged out.').waitFor()
}

describe('a pass phrase that an administrator wants changed', () => {
  it('is asked for before anything else, again after a reload, and then the person is where the address points', async () => {
    const user = await whoIsAsked()
    const visit = await asked(user)
    const { page } = visit
    await page.getByText('An administrator has asked you to change your pass phrase.').waitFor()
    expect(await page.getByRole('navigation').count()).toBe(0)
    expect(await page.getByRole('link', { name: /^Logged in as/ }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Not now' }).count()).toBe(0)
    await visit.open('/')
    await page.reload()
    await visit.sees(question)
    expect(visit.asked.filter((url) => /\/api\/1\.0\/(vault|find)/.test(url))).toEqual([])
    await visit.open('/me')
    await change(visit, user)
    await visit.hears('Pass phrase changed.')
    await visit.sees('Your account')
    await page.getByRole('navigation', { name: 'Main menu' }).waitFor()
    await page.reload()
    await visit.sees('Your account')
    await logOut(visit)
    await visit.fillIn({ ...user, passphrase: fresh }, nextTotpCode(user.totpSecret))
    await visit.sees('Your account')
  })

  it('is judged as it is typed, and what was typed stays when the appliance refuses it', async () => {
    const user = await whoIsAsked()
    const visit = await asked(user)
    const { page } = visit
    await fillInNew(visit, user, 'passwordpassword')
    await page.getByText('Strength: Very easy to guess').waitFor()
    await page.getByLabel('Code from one of your devices').fill(user.hardwareToken.press())
    await page.getByRole('button', { name: 'Change pass phrase' }).click()
    await page.getByRole('alert').getByText('(1730)').waitFor()
    expect(await page.getByLabel('Current pass phrase', { exact: true }).inputValue()).toBe(user.passphrase)
    expect(await page.getByLabel('New pass phrase', { exact: true }).inputValue()).toBe('passwordpassword')
    await change(visit, user)
    await visit.sees('Your account')
    visit.complaints.expect(/status of 400/)
  })

  it('is changed by the keyboard alone, and the way goes on from the heading', async () => {
    const user = await whoIsAsked()
    const visit = await asked(user)
    const { page } = visit
    const focused = (): Promise<string> =>
      page.evaluate('document.activeElement.name || document.activeElement.textContent')
    await expect.poll(focused).toBe(question)
    // Which factors are offered is read anew after the login.
    await page.getByRole('radiogroup', { name: 'Second factor' }).waitFor()
    for (const [name, text] of [
      ['present', user.passphrase],
      ['next', fresh],
      ['again', fresh],
    ] as const) {
      await page.keyboard.press('Tab')
      expect(await focused()).toBe(name)
      await page.keyboard.type(text)
      await page.keyboard.press('Tab')
      expect(await focused()).toBe('Show')
    }
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('otp')
    await page.keyboard.type(user.hardwareToken.press())
    await page.keyboard.press('Enter')
    await visit.sees('Your account')
    await expect.poll(focused).toBe('Your account')
  })

  it('is changed with a passkey in place of a code, where the browser has one', async () => {
    const user = await whoIsAsked()
    const visit = await asked(user, { host: 'localhost' })
    const { page } = visit
    await visit.withAuthenticator()
    await fillInNew(visit, user, fresh)
    await page.getByText('Passkey', { exact: true }).click()
    await expect.poll(() => page.getByLabel('Code from one of your devices').count()).toBe(0)
    await visit.expectSound('passphrase-due-passkey')
    await page.getByRole('button', { name: 'Change pass phrase' }).click()
    await page.getByRole('alert').getByText('No passkey was received').waitFor()
    await page.getByText('Code', { exact: true }).click()
    await page.getByLabel('Code from one of your devices').fill(user.hardwareToken.press())
    await page.getByRole('button', { name: 'Change pass phrase' }).click()
    await visit.sees('Your account')
    await page.getByRole('button', { name: 'Register passkey' }).click()
    await page.getByLabel('Passkey name').fill('Telephone')
    await page.getByRole('dialog').getByLabel('Code from one of your devices').fill(user.hardwareToken.press())
    await page.getByRole('dialog').getByRole('button', { name: 'Register passkey' }).click()
    await page.getByText('Passkey Telephone registered.').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('Passkey', { exact: true }).click()
    await fillInNew(visit, { ...user, passphrase: fresh }, 'nine copper kettles in the attic')
    await page.getByRole('button', { name: 'Change pass phrase' }).click()
    await visit.hears('Pass phrase changed.')
  })

  it('moves nothing from under the pointer once its strength is known', async () => {
    const visit = await asked(await whoIsAsked())
    const { page } = visit
    let arrive = (): void => {}
    const arrived = new Promise<void>((resolve) => (arrive = resolve))
    await page.route(/strength-estimate/, async (route) => {
      await arrived
      await route.continue()
    })
    await page.getByLabel('New pass phrase', { exact: true }).fill(fresh)
    const placeOfButton = () => page.getByRole('button', { name: 'Change pass phrase' }).boundingBox()
    const before = await placeOfButton()
    arrive()
    await page.getByText(/^Strength: /).waitFor()
    expect(await placeOfButton()).toEqual(before)
  })

  it('is asked for no more in another tab once it is changed, nor where the administrator takes that back', async () => {
    const user = await whoIsAsked()
    const visit = await asked(user)
    const other = await visit.context.newPage()
    await other.goto(`${visit.origin}/#/`)
    await other.getByRole('heading', { level: 1, name: question }).waitFor()
    await change(visit, user)
    await visit.sees('Your account')
    await other.getByRole('heading', { level: 1, name: 'Vaults' }).waitFor()

    const spared = await whoIsAsked()
    const waiting = await asked(spared)
    const admin = await appliance.login(await appliance.addUser(['read', 'admin', 'active']))
    await admin.must('PUT', `/user/${spared.id}`, { status: 129 })
    await waiting.page.reload()
    await waiting.sees('Your account')
  })

  it('leaves the person a way out', async () => {
    const visit = await asked(await whoIsAsked())
    await logOut(visit)
    await expect.poll(() => visit.context.cookies()).toEqual([])
    await visit.page.reload()
    await visit.sees('Log in')
  })
})

describe('a pass phrase that is too old', () => {
  it('may stay for this session, and is asked for again at the next login', async () => {
    const user = await whoseIsOld()
    const visit = await asked(user)
    const { page } = visit
    await page.getByText('Your pass phrase is older than this appliance allows.').waitFor()
    expect(await page.getByRole('complementary', { name: 'Please note' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Not now' }).click()
    await visit.sees('Your account')
    await page.reload()
    await visit.sees('Your account')
    await logOut(visit)
    await visit.fillIn(user, nextTotpCode(user.totpSecret))
    await visit.sees(question)
    await change(visit, user)
    await visit.sees('Your account')
  })
})

it('what the login told of a weak pass phrase goes when it is changed', async () => {
  const user = await appliance.addUser(['read', 'active'])
  await appliance.sql(`UPDATE users SET passphrase_strength = 2 WHERE id = ${user.id}`)
  const visit = await Visit.start(appliance)
  await visit.logIn(user)
  const advice = visit.page.getByText('Your pass phrase is weak')
  await advice.waitFor()
  await visit.page.getByRole('button', { name: 'Svenska' }).click()
  await visit.page.getByText('Din lösenfras är svag').waitFor()
  expect(await advice.count()).toBe(0)
  await visit.page.getByRole('button', { name: 'English' }).click()
  await visit.open('/me')
  await visit.sees('Your account')
  await change(visit, user)
  await advice.waitFor({ state: 'detached' })
})

it.each(looks)('has no finding in %s at %i pixels', async (theme, width) => {
  const visit = await asked(await whoIsAsked(), { theme, width })
  await visit.page.getByLabel('New pass phrase', { exact: true }).fill('a fair one')
  await visit.page.getByText(/^Strength: /).waitFor()
  await visit.expectSound('passphrase-due')
  await logOut(visit)
  await visit.open('/')
  await visit.fillIn(await whoseIsOld())
  await visit.sees(question)
  await visit.page.getByRole('button', { name: 'Svenska' }).click()
  await visit.sees('Välj en ny lösenfras')
  await visit.expectSound('passphrase-due-old')
})
