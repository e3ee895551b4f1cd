import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { createObject } from '../support/object-kit.ts'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

const built = resolve(import.meta.dirname, '../../dist/web')

/**
 * The views as a person comes to them, one after the other. With STRONGROOM_PICTURES=docs/console it takes the pictures of
 * docs/console.md, and says what is loaded and how long each takes from the click to the sight.
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
  /** From the click until the heading and what `settled` waits for are seen. */
  const step = async (name: string, go: () => Promise<unknown>, settled: () => Promise<unknown>): Promise<void> => {
    const start = performance.now()
    await go()
    await settled()
    times.push(`${name}: ${Math.round(performance.now() - start)} ms`)
    await visit.expectSound(name)
  }
  const sight = (heading: string) => () => visit.sees(heading)
  const link = (name: string | RegExp) => () => page.getByRole('link', { name }).first().click()

  await step('login', () => visit.open(), sight('Log in'))
  await step('vaults', () => visit.fillIn(user), sight('Vaults'))
  await step('vault', link(/^Network/), sight('Network'))
  await step('members', link('Members'), sight('About Network'))
  await step(
    'keys',
    () => visit.open(`/vault/${stocked.vaultid}/keys`),
    () => page.getByText('releases').waitFor(),
  )
  await step('key', link('orders'), sight('orders'))
  await step(
    'new-object',
    () => visit.open(`/vault/${stocked.vaultid}/0/new`),
    () => page.getByRole('searchbox').waitFor(),
  )
  await step('object', () => visit.open(`/object/${stocked.server}`), sight('core1.example.test'))
  await step(
    'secret',
    () => page.getByRole('button', { name: 'Show Password' }).click(),
    () => page.getByText('S3cret-pass.phrase').waitFor(),
  )
  await step('trail', link('Who saw this'), () => page.getByRole('heading', { level: 1 }).waitFor())
  await step('me', link(/^Logged in as/), () => page.getByRole('heading', { level: 1 }).waitFor())
  await step('administration', link('Administration'), () => page.getByRole('heading', { level: 1 }).waitFor())
  await step(
    'exchange',
    () => visit.open('/exchange'),
    () => page.getByRole('heading', { level: 1 }).waitFor(),
  )
  visit.expectPeace()

  const scripts = visit.asked.filter((url) => url.includes('/assets/')).map((url) => new URL(url).pathname)
  const bytes = [...new Set(scripts)].reduce((sum, path) => sum + statSync(join(built, `${path}.br`)).size, 0)
  expect(bytes).toBeGreaterThan(50_000)
  if (process.env['STRONGROOM_PICTURES'] !== undefined)
    process.stdout.write(`${[...times, `loaded in all: ${Math.round(bytes / 1024)} KiB`].join('\n')}\n`)
})
