import { expect, it } from 'vitest'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

/** Another host, where a page waits that looks like ours. */
const lure = 'https://127.0.0.1:1/'

it.each([
  `/${lure}`,
  lure,
  '//127.0.0.1:1/',
  String.raw`/\127.0.0.1:1/`,
  '/%2F%2F127.0.0.1:1/',
  `/?next=${lure}`,
  `/login?redirect=${encodeURIComponent(lure)}`,
  'javascript:document.title="lured"',
])('a link that names %s leads nowhere else, before the login and after it', async (address) => {
  const visit = await stage.visitor()
  const { page } = visit
  await visit.open(address)
  await visit.sees('Log in')
  const hrefs = page.locator('a[href]')
  const leadsTo = async (): Promise<string[]> =>
    hrefs.evaluateAll((links) => links.map((link) => (link as unknown as { readonly href: string }).href))
  const foreign = async (): Promise<string[]> =>
    (await leadsTo()).filter((href) => new URL(href).hostname !== new URL(visit.origin).hostname)
  expect(await foreign()).toEqual([])
  await visit.fillIn(await stage.appliance.addUser())
  await page.getByRole('button', { name: 'Log out' }).waitFor()
  expect(new URL(page.url()).origin).toBe(visit.origin)
  expect(await page.title()).not.toBe('lured')
  expect((await leadsTo()).length).toBeGreaterThan(0)
  expect(await foreign()).toEqual([])
})
