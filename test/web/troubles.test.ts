import type { Request } from 'playwright-core'
import { expect, it } from 'vitest'
import { totpCode } from '../support/hardware-token.ts'
import { createObject } from '../support/object-kit.ts'
import { memberOf } from './console-vault.ts'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

it('asks before any secret of an object is read, where the call for it raises the alarm of another', async () => {
  const visit = await stage.member()
  const { page } = visit
  const address = `${stage.appliance.url}/object/${stage.stocked.alarmed}`
  const read: { TEMPLATES: { structure: { fieldname: string }[] }[] } = JSON.parse(
    JSON.stringify(await stage.stocked.client.must('GET', `/object/${stage.stocked.alarmed}`)),
  )
  for (const { structure } of read.TEMPLATES)
    structure.push({ ...structure.find(({ fieldname }) => fieldname === 'note'), ...spare })
  await page.route(address, (route) => route.fulfill({ json: read }))
  await visit.open(`/object/${stage.stocked.alarmed}`)
  await page.getByRole('button', { name: 'Show Spare' }).click()
  await page.getByRole('alertdialog', { name: 'Raise an alarm?' }).waitFor()
})
const spare = { fieldname: 'spare', translation: 'Spare', encrypted: true, alarm: false }

it('says what to do where its script does not come', async () => {
  const { page, origin, complaints } = await stage.visitor()
  await page.route('**/assets/*.js', (route) => route.fulfill({ status: 404, body: '' }))
  await page.goto(origin)
  await page.getByText('If this stays, load the page again.').waitFor()
  complaints.expect(/status of 404/)
})

it('keeps all but a view whose part is lost on the way, and leads out of it', async () => {
  const visit = await stage.visitor()
  const { page } = visit
  const part = /\/object-view-[^/]+\.js$/
  let lost = 0
  page.on('requestfailed', (request) => (lost += Number(part.test(request.url()))))
  await page.route(part, (route) => route.abort())
  await visit.logIn(await memberOf(stage.stocked, stage.appliance))
  await visit.open(`/object/${stage.stocked.server}`)
  await visit.sees('This page has stopped working')
  expect(await visit.findings()).toEqual([])
  await page.getByRole('button', { name: 'Log out' }).waitFor()
  await page.getByRole('link', { name: 'Go to vaults' }).click()
  await visit.sees('Vaults')
  // The views that are loaded ahead ask for the part, too, and who opens it meanwhile gets the answer to that call.
  await expect.poll(() => visit.asked.some((url) => url.includes('/key-view-'))).toBe(true)
  await expect.poll(() => visit.asked.filter((url) => part.test(url)).length - lost).toBe(0)
  await page.unroute(part)
  await visit.open(`/object/${stage.stocked.server}`)
  await visit.sees('core1.example.test')
  visit.complaints.expect(/net::ERR_FAILED.*object-view/, /Failed to fetch dynamically/)
})

it.each(['/vault/.', '/vault/..', '/vault/1a', '/object/.', '/object/%2e', '/vault/1/x'])(
  'takes %s for no address of a vault or an object',
  async (address) => {
    const visit = await stage.member()
    await visit.open(address)
    await visit.sees('Page not found')
  },
)

it('tries without a network too, says so, and goes on when it is back', async () => {
  const visit = await stage.member()
  const { page, context } = visit
  // A session that goes on from the cookie loads the view of a vault ahead, too.
  const ahead = /\/vault-view-[^/]+\.js$/
  await expect.poll(() => visit.asked.find((url) => ahead.test(url))).toBeDefined()
  await page.evaluate(`import(${JSON.stringify(visit.asked.find((url) => ahead.test(url)))})`)
  await context.setOffline(true)
  await page.getByRole('link', { name: /Network/ }).click()
  await visit.sees('This could not be loaded')
  await page.getByText('The appliance cannot be reached.').waitFor()
  expect(await page.title()).toBe('This could not be loaded · Strongroom')
  await context.setOffline(false)
  await visit.sees('Network')
  visit.complaints.expect(/net::ERR_INTERNET_DISCONNECTED/)
})

it('keeps what it has read where reading it again fails, and nothing where it is refused', async () => {
  const visit = await stage.member()
  const { page } = visit
  await page.clock.install()
  await visit.open(`/object/${stage.stocked.server}`)
  await page.getByRole('button', { name: 'Show Password' }).click()
  await page.getByText('S3cret-pass.phrase').waitFor()
  const address = `${stage.appliance.url}/object/${stage.stocked.server}`
  const again = async (): Promise<void> => {
    await page.clock.fastForward(20_000)
    // The events alone: a network that is gone for a moment fails what else is under way, too.
    for (const event of ['offline', 'online']) await page.evaluate(`dispatchEvent(new Event("${event}"))`)
  }
  await page.route(address, (route) => route.fulfill({ status: 502, body: 'Bad gateway' }))
  await again()
  await page.getByText(/answered in its place\..* \(502\)/).waitFor()
  await visit.sees('core1.example.test')
  await page.getByText('S3cret-pass.phrase').waitFor()
  await page.unroute(address)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('alert').waitFor({ state: 'detached' })
  const refusal = await stage.stocked.client.get('/object/999999999')
  await page.route(address, (route) => route.fulfill({ status: 404, json: refusal.json }))
  await again()
  await visit.sees('This could not be loaded')
  await page.getByText('(1610)').waitFor()
  expect(await page.content()).not.toMatch(/S3cret|core1/)
  visit.complaints.expect(/status of 502/, /status of 404/)
})

it('reads once more what was cut off in the middle', async () => {
  const visit = await stage.visitor()
  await visit.page.addInitScript(`{
    const real = fetch
    let isCut = false
    window.fetch = async (...given) => {
      const response = await real(...given)
      if (isCut || !response.url.endsWith('/api/1.0/vault')) return response
      isCut = true
      const body = new ReadableStream({
        async pull(controller) {
          controller.enqueue(new Uint8Array(await response.arrayBuffer()).slice(0, 40))
          controller.error(new TypeError('network error'))
        },
      })
      window.wasCut = true
      return new Response(body, response)
    }
  }`)
  await visit.logIn(await memberOf(stage.stocked, stage.appliance))
  await visit.page.getByRole('link', { name: /Network/ }).waitFor()
  expect(await visit.page.evaluate('window.wasCut')).toBe(true)
})

it.each([
  ['45', 'Try again in 45 seconds.'],
  ['5400', 'Try again in 90 minutes.'],
])('says after how long to try again: %s', async (seconds, sentence) => {
  const visit = await stage.visitor()
  const { page } = visit
  await page.route(`${stage.appliance.url}/auth`, (route) =>
    route.fulfill({
      status: 429,
      headers: { 'Retry-After': seconds },
      json: { CALLINFO: { status: 'FAILURE' }, ERRORS: ['Too many.'], ERRORCODES: { 1813: 'Too many.' } },
    }),
  )
  await visit.open()
  await visit.fillIn(await stage.appliance.addUser())
  expect(await page.getByRole('alert').textContent()).toBe(`Too many. (1813) ${sentence}`)
  visit.complaints.expect(/status of 429/)
})

it('takes a code with the space that apps show in it', async () => {
  const visit = await stage.visitor()
  const user = await memberOf(stage.stocked, stage.appliance)
  await visit.open()
  await visit.fillIn(user, totpCode(user.totpSecret).replace(/^(\d{3})/, '$1 '))
  await visit.sees('Vaults')
})

it('says that a secret is on its way, and gives up a connection that hangs', async () => {
  const visit = await stage.member()
  const { page } = visit
  await visit.open(`/object/${stage.stocked.server}`)
  await visit.sees('core1.example.test')
  // The browser's own clock for signals cannot be set forward.
  await page.evaluate(`{
    const { timeout } = AbortSignal
    AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / 10)
    globalThis.restorePatience = () => (AbortSignal.timeout = timeout)
  }`)
  await page.route(`${stage.appliance.url}/object/${stage.stocked.server}?decrypt=true`, () => undefined)
  await page.getByRole('button', { name: 'Show Password' }).click()
  await page.getByText('Loading…').waitFor()
  await page.getByText('The appliance cannot be reached.').waitFor()
  await page.getByText('Loading…').waitFor({ state: 'detached' })
  await page.unrouteAll()
  // What is answered has all the time that it may take.
  await page.evaluate('void restorePatience()')
  await page.getByRole('button', { name: 'Show Password' }).click()
  await page.getByText('S3cret-pass.phrase').waitFor()
})

it('says that a change takes long, and shows what came of it after its dialog was closed before the answer', async () => {
  const visit = await stage.visitor()
  const { page } = visit
  // The appliance makes the vault late, whether or not the page still waits for it.
  await page.addInitScript(`{
    const real = fetch
    const released = new Promise((resolve) => (window.release = resolve))
    window.fetch = (url, asked) => {
      if (asked?.method !== 'POST' || !url.endsWith('/vault')) return real(url, asked)
      const { signal, ...whole } = asked
      const givenUp = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      return Promise.race([released.then(() => real(url, whole)), givenUp])
    }
  }`)
  await visit.logIn(await stage.appliance.addUser(['read', 'createVault', 'active']))
  await page.getByRole('button', { name: 'Create vault' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Hastily closed')
  await dialog.getByRole('button', { name: 'Create vault' }).click()
  await dialog.getByRole('button', { name: 'Please wait…' }).waitFor()
  await page.locator('.notices').getByText('Please wait…').waitFor()
  const isListed = page.waitForResponse((response) => isListOfVaults(response.request()), { timeout: 3_000 })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await page.locator('.notices').getByText('Please wait…').count()).toBe(0)
  // A page that reads its list again at once has read it before the vault is made.
  await isListed.catch(() => undefined)
  await page.evaluate('window.release()')
  await page.getByRole('link', { name: /Hastily closed/ }).waitFor()
})
const isListOfVaults = (request: Request): boolean =>
  request.method() === 'GET' && request.url() === `${stage.appliance.url}/vault`

it('reads lists again after a lost change, but no object that it was not made to', async () => {
  const visit = await stage.member()
  const { page } = visit
  const { url } = stage.appliance
  const address = `${url}/object/${stage.stocked.server}`
  const readsOf = (part: string): number => visit.asked.filter((asked) => asked === part).length
  await visit.open(`/object/${stage.stocked.server}`)
  await visit.sees('core1.example.test')
  await page.getByRole('link', { name: 'Network' }).waitFor()
  const before = readsOf(address)
  await page.route(`${url}/link`, (route) => route.abort())
  await page
    .getByRole('button', { name: /^Share once/ })
    .first()
    .click()
  const listed = page.waitForResponse((response) => isListOfVaults(response.request()))
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByText('The appliance cannot be reached.').waitFor()
  await listed
  // The one is that of the question whether the secret raises an alarm.
  expect(readsOf(address)).toBe(before + 1)
  visit.complaints.expect(/net::ERR_FAILED/)
})

it('shows what was changed in another tab as soon as the person comes back', async () => {
  const { user, client, vaultid } = await stage.owner('Own')
  const id = await createObject(client, vaultid, { host: 'starred.example.test' })
  const visit = await stage.visitor()
  const { page } = visit
  await visit.logIn(user)
  await page.getByRole('link', { name: /Own/ }).waitFor()
  await page.clock.install()
  await client.must('POST', '/vault', { vaultname: 'Made elsewhere' })
  await client.must('PUT', `/object/${id}/favourite`, { favourite: true })
  await page.clock.fastForward(20_000)
  await page.evaluate('dispatchEvent(new Event("visibilitychange"))')
  await page.getByRole('link', { name: /Made elsewhere/ }).waitFor()
  const favourites = page.getByRole('region', { name: 'Favourites' })
  await favourites.getByText('starred.example.test').waitFor()
  // What was read stays where reading it again fails.
  await page.route('**/favourites', (route) => route.fulfill({ status: 418, body: '' }))
  await page.clock.fastForward(20_000)
  await page.evaluate('dispatchEvent(new Event("visibilitychange"))')
  await favourites.getByRole('button', { name: 'Try again' }).waitFor()
  await favourites.getByText('starred.example.test').waitFor()
  visit.complaints.expect(/status of 418/)
})

it('says nothing of what is under way for less than 150 ms', async () => {
  const visit = await stage.member()
  const { page } = visit
  await page.clock.install()
  await visit.open(`/object/${stage.stocked.server}`)
  await visit.sees('core1.example.test')
  const address = `${stage.appliance.url}/object/${stage.stocked.server}?decrypt=true`
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route(address, async (route) => {
    await released
    await route.continue()
  })
  await page.clock.pauseAt(Date.now() + 60_000)
  const asked = page.waitForRequest(address)
  await page.getByRole('button', { name: 'Show Password' }).click()
  await asked
  await page.clock.runFor(149)
  expect(await page.getByText('Loading…').count()).toBe(0)
  await page.clock.runFor(1)
  await page.getByText('Loading…').waitFor()
  release()
  await page.getByText('S3cret-pass.phrase').waitFor()
})
