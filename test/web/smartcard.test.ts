import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CardAppliance } from '../api/certificates/card-kit.ts'
import { ownPage } from '../support/browser-session.ts'
import { canPickCards, homeWithCard, pickCardFor } from '../support/browser-card.ts'
import { ClientCa } from '../support/client-pki.ts'
import type { TestUser } from '../support/appliance.ts'
import { closeBrowser, Visit, type VisitOptions } from './browser-kit.ts'

const directory = mkdtempSync(join(tmpdir(), 'strongroom-console-card-'))
const ca = new ClientCa()
let cards: CardAppliance
let holder: TestUser

beforeAll(async () => {
  cards = await CardAppliance.start({ clientCa: ca.certificate })
})
afterAll(async () => {
  await closeBrowser()
  await cards.close()
})

const cardPort = (): number => Number(new URL(cards.url).port)

const visitor = (options?: VisitOptions): Promise<Visit> => Visit.start(cards.appliance, options)

const chooseCard = ({ page }: Visit): Promise<void> => page.getByText('Smartcard', { exact: true }).click()

describe('without a card', () => {
  it('the login leads to the page that asks for one, and to the same view there', async () => {
    const visit = await visitor()
    const { page } = visit
    await visit.open('/me')
    await chooseCard(visit)
    const link = page.getByRole('link', { name: 'Continue with a smartcard' })
    await link.waitFor()
    expect(await link.getAttribute('href')).toBe('https://127.0.0.1:8443/#/me')
    expect(await page.getByRole('button', { name: 'Log in' }).count()).toBe(0)
    await page.getByText('Authenticator app', { exact: true }).click()
    await page.getByRole('button', { name: 'Log in' }).waitFor()
    visit.complaints.expect(/status of 401/)
  })

  it.each([
    'https://evil.example.test/',
    '//evil.example.test',
    '@evil.example.test',
    'javascript:alert(1)',
    '"><img src=x onerror=alert(1)>',
  ])('an address with %s in it leads to this host all the same', async (hostile) => {
    const visit = await visitor()
    await visit.open(hostile)
    await chooseCard(visit)
    const link = visit.page.getByRole('link', { name: 'Continue with a smartcard' })
    const { origin, pathname } = new URL((await link.getAttribute('href')) ?? '')
    expect([origin, pathname]).toEqual(['https://127.0.0.1:8443', '/'])
    visit.complaints.expect(/status of 401/)
  })

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
  ] as const)('has no finding in %s at %i pixels', async (theme, width) => {
    const visit = await visitor({ theme, width })
    await visit.open()
    await chooseCard(visit)
    await visit.page.getByRole('link', { name: 'Continue with a smartcard' }).waitFor()
    await visit.expectSound('login-smartcard')
    visit.complaints.expect(/status of 401/)
  })
})

describe.skipIf(!canPickCards)('with a card', () => {
  let browser: Browser
  let forget = (): void => undefined

  beforeAll(async () => {
    const card = ca.issue('/CN=<img src=x onerror=alert(1)>')
    holder = await cards.holder(card)
    const serverCa = join(directory, 'server-ca.pem')
    writeFileSync(serverCa, cards.appliance.ca)
    const home = homeWithCard(directory, card, ca, serverCa)
    forget = pickCardFor(new URL(cards.url).origin, 'console')
    browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
      env: { ...process.env, HOME: home },
    })
  })
  afterAll(async () => {
    await browser.close()
    forget()
  })

  /** Who has logged in with the card, and is at the own account. */
  async function withCard(): Promise<Visit> {
    const visit = await visitor({ browser, port: cardPort() })
    const { page } = visit
    await visit.open('/me')
    await chooseCard(visit)
    await page.getByText(`Your browser is presenting the smartcard of ${holder.username}.`).waitFor()
    expect(await page.getByLabel('Username').inputValue()).toBe(holder.username)
    await page.getByLabel('Pass phrase', { exact: true }).fill(holder.passphrase)
    await page.getByLabel('Application key').fill(cards.appliance.applicationKey)
    await page.getByRole('button', { name: 'Log in' }).click()
    await visit.sees('Your account')
    return visit
  }

  it('a person logs in on the second listener, and stays there', async () => {
    const visit = await withCard()
    await visit.page.reload()
    await visit.sees('Your account')
  })

  it('the card does not take the place of the pass phrase, nor is it good for another name', async () => {
    const other = await cards.appliance.addUser()
    const visit = await visitor({ browser, port: cardPort() })
    const { page } = visit
    await visit.open('/me')
    await chooseCard(visit)
    await page.getByText('Your browser is presenting the smartcard of').waitFor()
    await page.getByLabel('Application key').fill(cards.appliance.applicationKey)
    for (const [username, passphrase] of [
      [holder.username, 'not the pass phrase'],
      [other.username, other.passphrase],
    ] as const) {
      await page.getByLabel('Username').fill(username)
      await page.getByLabel('Pass phrase', { exact: true }).fill(passphrase)
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByRole('alert').getByText('(1201)').waitFor()
    }
    expect(await visit.context.cookies()).toEqual([])
    visit.complaints.expect(/status of 403/)
  })

  it('the pass phrase is changed with the card in place of a code', async () => {
    const visit = await withCard()
    const { page } = visit
    const next = 'seven wooden lanterns on the quay'
    await page.getByLabel('Current pass phrase', { exact: true }).fill(holder.passphrase)
    await page.getByLabel('New pass phrase', { exact: true }).fill(next)
    await page.getByLabel('Confirm new pass phrase', { exact: true }).fill(next)
    await page.getByRole('radiogroup', { name: 'Second factor' }).getByText('Smartcard').click()
    await page.getByRole('button', { name: 'Change pass phrase' }).click()
    await visit.hears('Pass phrase changed.')
    holder = { ...holder, passphrase: next }
  })

  it('a page of one listener calls nothing of the other, whose cookie the browser sends along', async () => {
    const visit = await withCard()
    const [cookie] = await visit.context.cookies()
    const first = visit.appliance.url
    const heard = await visit.page.evaluate(
      `fetch(${JSON.stringify(`${first}/vault`)}, { credentials: 'include', headers: { 'X-Strongroom-Console': '1' } }).then(({ status }) => status, () => 'nothing')`,
    )
    expect(heard).toBe('nothing')
    visit.complaints.expect(/Content Security Policy/)
    const headers = { ...ownPage, Cookie: `${cookie?.name}=${cookie?.value}` }
    const foreign = { ...headers, 'Sec-Fetch-Site': 'same-site' }
    for (const client of [cards.appliance.client(), cards.holding(undefined)]) {
      const { status, json } = await client.get('/vault', { headers: foreign })
      expect([status, Object.keys(json.ERRORCODES ?? {})]).toEqual([403, expect.arrayContaining(['1206'])])
    }
    // The page of the first listener takes no session over that was not begun there.
    const other = await visit.context.newPage()
    await other.goto(`${new URL(first).origin}/#/me`)
    await other.getByRole('heading', { level: 1, name: 'Log in' }).waitFor()
  })

  it('another person who logs in at the first listener is not taken for the first at the second', async () => {
    const visit = await withCard()
    const other = await cards.appliance.addUser()
    const atFirst = await visit.context.newPage()
    await atFirst.goto(`${new URL(visit.appliance.url).origin}/#/me`)
    await atFirst.getByLabel('Username').fill(other.username)
    await atFirst.getByLabel('Pass phrase', { exact: true }).fill(other.passphrase)
    await atFirst.getByLabel('Application key').fill(cards.appliance.applicationKey)
    await atFirst.getByText('Hardware token', { exact: true }).click()
    await atFirst.getByLabel('One-time password from the token').fill(other.hardwareToken.press())
    await atFirst.getByRole('button', { name: 'Log in' }).click()
    await atFirst.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
    await visit.page.reload()
    await visit.page.getByText('Your session has ended. Log in again.').waitFor()
    expect(await visit.page.content()).not.toContain(other.username)
  })
})
