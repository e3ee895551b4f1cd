import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { createObject } from '../support/object-kit.ts'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

const built = resolve(import.meta.dirname, '../../dist/web')

/**
 * The views as a person comes to them, one after the other. With STRONGROOM_PICTURES=docs/web-console it takes the pictures of
 * docs/web-console.md, and says what is loaded and how long each takes from the click to the sight.
 */
it('leads through the views of the console', async () => {
  const { appliance, stocked } = stage
  const user = await appliance.addUser(['read', 'createVault', 'admin', 'audit', 'active'])
  await stocked.client.must('POST', `/vault/${stocked.vaultid}/member/${user.id}`, { status: 4 })
  await createObject(stocked.client, stocked.vaultid, { host: 'mail.example.test', username: 'postmaster' })
  const keys = (name: string): string => `/transparent/${stocked.vaultid}/keys/${name}`
  for (const name of ['backups', 'orders', 'tickets']) await stocked.client.must('POST', keys(name), {})
  await stocked.client.must('POST', keys('releases'), { type: 'ecdsa-p256' })
  await stocked.client.must('POST', `${keys('orders')}/rotate`)

  const visit = await stage.visitor()
  const { page } = visit
  const times: string[] = []
  /** Whether the heading of the view is there, and `also`, both by the page itself: a look from outside comes late. */
  const isSeen = (heading: string, also = 'true'): string =>
    `document.querySelector('h1')?.textContent.includes(${JSON.stringify(heading)}) && ${also}`
  const step = async (name: string, go: () => Promise<unknown>, seen: string): Promise<void> => {
    await page.evaluate(`void (globalThis.sight = new Promise((resolve) => {
      let from
      const begin = () => { from ??= performance.now() }
      for (const kind of ['pointerup', 'hashchange']) addEventListener(kind, begin, { capture: true })
      const look = () => {
        if (from !== undefined && (${seen})) resolve(performance.now() - from)
        else requestAnimationFrame(look)
      }
      look()
    }))`)
    await go()
    times.push(`${name}: ${Math.round(Number(await page.evaluate('sight')))} ms`)
    await visit.expectSound(name)
    await visit.expectReadableAt4k()
  }
  const link = (name: string | RegExp) => () => page.getByRole('link', { name }).first().click()
  const holds = (text: string): string =>
    `document.querySelector('main')?.textContent.includes(${JSON.stringify(text)})`

  await visit.open()
  await visit.sees('Log in')
  const painted = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
  times.push(`login: ${Math.round(Number(painted))} ms`)
  await visit.expectSound('login')
  await step('vaults', () => visit.fillIn(user), isSeen('Vaults', holds('Network')))
  await step('vault', link(/^Network/), isSeen('Network', holds('gate.example.test')))
  await step('members', link('Members'), isSeen('About Network'))
  await step('keys', () => visit.open(`/vault/${stocked.vaultid}/keys`), isSeen('Keys', holds('releases')))
  await step('key', link('orders'), isSeen('orders'))
  await step(
    'new-object',
    () => visit.open(`/vault/${stocked.vaultid}/0/new`),
    "document.querySelector('input[type=search]') !== null",
  )
  await step('object', () => visit.open(`/object/${stocked.server}`), isSeen('core1.example.test'))
  await step('secret', () => page.getByRole('button', { name: 'Show Password' }).click(), holds('S3cret-pass.phrase'))
  await step('trail', link('Activity'), isSeen('Activity'))
  await step('me', link(/^Logged in as/), isSeen('account'))
  await step('administration', link('Administration'), isSeen('Users'))
  await step('exchange', () => visit.open('/exchange'), isSeen('Import and export'))

  const scripts = visit.asked.filter((url) => url.includes('/assets/')).map((url) => new URL(url).pathname)
  const bytes = [...new Set(scripts)].reduce((sum, path) => sum + statSync(join(built, `${path}.br`)).size, 0)
  expect(bytes).toBeGreaterThan(50_000)
  if (process.env['STRONGROOM_PICTURES'] !== undefined)
    process.stdout.write(`${[...times, `loaded in all: ${Math.round(bytes / 1024)} KiB`].join('\n')}\n`)
})
