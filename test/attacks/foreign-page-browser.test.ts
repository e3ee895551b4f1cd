import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { commonPki, trustingAppliances } from '../support/pki.ts'
import { eventsOf } from '../support/trail.ts'
import { portOf } from '../support/wire.ts'

/** The attacks of `foreign-page.test.ts` in a real browser, whose rules of cookies, sites and origins decide. */

const host = 'vault.strongroom.test'
const appliance = applianceForTests(() => TestAppliance.own())
let elsewhere: Server
let browser: Browser
let context: BrowserContext
let own: Page
let victim: TestUser

const api = (): string => `https://${host}:${portOf(appliance)}/api/1.0`
/** Address of an attacker's page on this host, at its own port. */
const foreign = (name: string): string => `https://${name}:${(elsewhere.address() as AddressInfo).port}/`

beforeAll(async () => {
  const pki = commonPki()
  elsewhere = createServer({ cert: readFileSync(pki.certificate), key: readFileSync(pki.key) }, (_request, response) =>
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>evil</title><body>'),
  )
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', trustingAppliances(), '--host-resolver-rules=MAP *.test 127.0.0.1'],
  })
  // The page at / has a policy against scripts. The test's scripts replace those of the console.
  context = await browser.newContext({ ignoreHTTPSErrors: true, bypassCSP: true })
  own = await context.newPage()
  await own.goto(`https://${host}:${portOf(appliance)}/`)
  victim = await appliance.addUser()
})
afterAll(async () => {
  await browser.close()
  elsewhere.close()
})

/** The answer that a script of this page sees to its call. */
const fetched = (page: Page, path: string, options: RequestInit = {}) =>
  page.evaluate(
    async ([url, init]) => {
      try {
        const answer = await fetch(url, { credentials: 'include', ...init })
        return { status: answer.status, text: await answer.text() }
      } catch {
        return { status: 0, text: '' }
      }
    },
    [api() + path, options] as const,
  )

const console1 = { 'X-Strongroom-Console': '1' }
const cookieNames = async (url: string): Promise<string[]> => (await context.cookies(url)).map(({ name }) => name)

it('the page of the appliance logs in, calls by cookie, and no script reads the token', async () => {
  const body = JSON.stringify({ ...appliance.credentials(victim), session: 'cookie' })
  const login = await fetched(own, '/auth', { method: 'POST', body, headers: console1 })
  expect(login.status).toBe(200)
  const [cookie] = await context.cookies()
  expect(cookie).toMatchObject({
    name: '__Host-strongroom',
    httpOnly: true,
    secure: true,
    sameSite: 'Strict',
    path: '/',
  })
  expect(cookie).toMatchObject({ domain: host, expires: -1 })
  expect(login.text).not.toContain(cookie?.value.slice('cookie.'.length))
  expect(await own.evaluate('document.cookie')).toBe('')
  expect((await fetched(own, '/vault', { headers: console1 })).status).toBe(200)
  expect((await fetched(own, '/vault')).status).toBe(403)
})

/** Forms that would make a vault. The first one is JSON on the wire. */
const forged = [
  ['text/plain', { '{"groupname":"forged","x":"': '"}' }],
  ['multipart/form-data', { groupname: 'forged' }],
  ['application/x-www-form-urlencoded', { groupname: 'forged' }],
] as const

it.each([
  ['another site', 'evil.test', 'session.invalid'],
  ['a sub-domain', `evil.${host}`, 'session.cookie'],
  ['a neighbour in the same domain', 'evil.strongroom.test', 'session.cookie'],
  ['another port of the same host', host, 'session.cookie'],
])('%s (%s): forms, images and fetches do and read nothing', async (_who, name, outcome) => {
  const page = await context.newPage()
  await page.goto(foreign(name))
  const before = eventsOf(appliance).length
  expect(await fetched(page, '/vault')).toEqual({ status: 0, text: '' })
  // The browser asks in advance whether our header is allowed (CORS preflight), which it is not.
  expect(await fetched(page, '/vault', { headers: console1 })).toEqual({ status: 0, text: '' })
  await fetched(page, '/vault', { method: 'POST', mode: 'no-cors', body: '{"groupname":"forged"}' })
  await fetched(page, '/auth/logout', { mode: 'no-cors' })
  const image = `Object.assign(new Image(), { onerror: resolve, onload: resolve, src: '${api()}/auth/logout' })`
  await page.evaluate(`new Promise((resolve) => ${image})`)
  for (const [type, fields] of forged) {
    await page.goto(foreign(name))
    await submitted(page, `${api()}/vault`, type, fields)
  }
  // The victim follows a link.
  await page.goto(foreign(name))
  await submitted(page, `${api()}/auth/logout`, 'get', {})
  await page.close()
  const events = eventsOf(appliance).slice(before)
  const outcomes = new Set(events.map((event) => String(event['outcome'])))
  expect([...outcomes]).toContain(outcome)
  expect([...outcomes].filter((one) => !['session.cookie', 'session.invalid'].includes(one))).toEqual([])
  expect(events.length).toBeGreaterThanOrEqual(6)
  expect(events.filter((event) => event['userId'] !== undefined)).toEqual([])
  const vaults = await fetched(own, '/vault', { headers: console1 })
  expect(vaults.status).toBe(200)
  expect(vaults.text).not.toContain('forged')
})

it.each(['evil.test', `evil.${host}`, host])('on %s no frame draws the console or its documentation', async (name) => {
  // Here the policy of the appliance is in force.
  const victims = await browser.newContext({ ignoreHTTPSErrors: true })
  onTestFinished(() => victims.close())
  await victims.addCookies(await context.cookies())
  const page = await victims.newPage()
  /** The content of a frame once it is loaded or refused. */
  const drawnIn = async (element: string, address: string): Promise<string> => {
    await page.goto(foreign(name))
    await page.evaluate(`new Promise((resolve) => {
      const framed = Object.assign(document.createElement('${element}'), { onload: resolve, onerror: resolve })
      framed['${element === 'object' ? 'data' : 'src'}'] = ${JSON.stringify(address)}
      document.body.replaceChildren(framed)
    })`)
    // The browser removes a refused object.
    const [, frame] = page.frames()
    return frame === undefined ? 'nothing' : frame.evaluate<string>('document.URL').catch(() => 'nothing')
  }
  for (const element of ['iframe', 'object', 'embed']) {
    expect(await drawnIn(element, foreign('other.test'))).toBe(foreign('other.test'))
    for (const path of ['/', '/api/1.0/docs'])
      expect(await drawnIn(element, `https://${host}:${portOf(appliance)}${path}`)).toMatch(
        /^(chrome-error:.*|nothing)$/,
      )
  }
})

it.each(['evil.test', `evil.${host}`, host])(
  'a form on %s that logs in to an account of its own leaves the victim in theirs',
  async (name) => {
    const mine = await context.cookies()
    const page = await context.newPage()
    await page.goto(foreign(name))
    const attacker = await appliance.addUser()
    const type = 'application/x-www-form-urlencoded'
    await submitted(page, `${api()}/auth`, type, { ...appliance.credentials(attacker), session: 'cookie' })
    expect(await page.content()).toContain('1206')
    await page.close()
    expect(await context.cookies()).toEqual(mine)
  },
)

it('a sub-domain sets no cookie that the appliance takes for its own', async () => {
  const mine = await context.cookies(api())
  const page = await context.newPage()
  await page.goto(foreign(`evil.${host}`))
  for (const name of ['__Host-strongroom=', '=__Host-strongroom=', '__host-strongroom='])
    for (const where of [`; Domain=${host}`, ''])
      await page.evaluate(`document.cookie = '${name}cookie.${'A'.repeat(42)}; Path=/; Secure${where}'`)
  await page.close()
  const now = await context.cookies(api())
  expect(now.filter(({ name }) => name === '__Host-strongroom')).toEqual(mine)
  expect((await fetched(own, '/vault', { headers: console1 })).status).toBe(200)
})

it('after the logout the cookie is gone, and what the browser kept', async () => {
  await own.evaluate(`localStorage.setItem('kept', 'of the vaults')`)
  expect((await fetched(own, '/auth/logout', { headers: console1 })).status).toBe(200)
  expect(await cookieNames(api())).not.toContain('__Host-strongroom')
  // A sub-domain's cookie and storage are its own.
  expect(await cookieNames(foreign(`evil.${host}`))).toContain('__Host-strongroom')
  expect(await own.evaluate(`localStorage.getItem('kept')`)).toBeNull()
  expect((await fetched(own, '/vault', { headers: console1 })).status).toBe(403)
})

/** Submits a form of this page and waits for the answer that replaces it. */
async function submitted(
  page: Page,
  action: string,
  type: string,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  const how = type === 'get' ? '' : `method="post" enctype="${type}"`
  const inputs = Object.entries(fields).map(([name, value]) => `<input name='${name}' value='${value}'>`)
  const form = `<form action="${action}" ${how}>${inputs.join('')}</form>`
  await Promise.all([
    page.waitForURL((url) => url.href.startsWith(action)),
    page.evaluate(`document.body.innerHTML = ${JSON.stringify(form)}; document.forms[0].submit()`),
  ])
}
