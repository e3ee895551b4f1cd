import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createObject, objectsIn } from '../support/object-kit.ts'
import { memberOf } from './console-vault.ts'
import { consoleStage } from './console-stage.ts'
import { hostileTexts } from './hostile-corpus.ts'
import { looks } from './looks.ts'

const stage = consoleStage()
/** A machine may be busy with other tests. */
const setting = '**/object/*/favourite'

/**
 * Presses the star, and waits until the change is through. The star is filled, and the appliance has changed it, before the page
 * knows that it has: a view that is left until then gives the call up. What follows the change is that the list is read anew.
 */
async function pressStar(page: Page): Promise<void> {
  let isAnswered = false
  const readAnew = page.waitForResponse((response) => {
    isAnswered ||= response.url().endsWith('/favourite')
    return isAnswered && response.url().endsWith('/favourites')
  })
  await page.getByRole('button', { name: 'Favourite', exact: true }).click()
  await readAnew
}

it('are set at an object, listed with the vaults that they lie in, and taken off there', async () => {
  const user = await memberOf(stage.stocked, stage.appliance)
  const visit = await stage.visitor()
  const { page } = visit
  const client = await stage.appliance.login(user)
  const names = async (): Promise<string[]> =>
    objectsIn(await client.must('GET', '/favourites'), 'OBJECT').map(({ objectname }) => objectname)
  await visit.arrive(user)
  await visit.open(`/object/${stage.stocked.server}`)
  const star = page.getByRole('button', { name: 'Favourite', exact: true })
  await star.focus()
  expect(await star.getAttribute('aria-pressed')).toBe('false')
  await page.keyboard.press('Space')
  await expect.poll(names).toEqual(['core1.example.test'])
  expect(await star.getAttribute('aria-pressed')).toBe('true')
  await page.reload()
  await visit.sees('core1.example.test')
  await star.waitFor()
  expect(await star.getAttribute('aria-pressed')).toBe('true')
  await visit.open(`/object/${stage.stocked.file}`)
  await visit.sees('plan.svg')
  await pressStar(page)
  expect(await names()).toHaveLength(2)

  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Vaults' }).click()
  await visit.sees('Vaults')
  const list = page.getByRole('region', { name: 'Favourites' })
  expect(await list.getByRole('link').allTextContents()).toEqual(['core1.example.testNetwork', 'plan.svgNetwork'])
  await list.getByRole('button', { name: 'Remove plan.svg from favourites' }).click()
  await visit.hears('plan.svg removed from favourites.')
  expect(await list.getByRole('link').count()).toBe(1)
  expect(await names()).toEqual(['core1.example.test'])
  await list.getByRole('link').click()
  await visit.sees('core1.example.test')
  await star.click()
  await expect.poll(names).toEqual([])
})

it('are as they were where the change is refused, and the refusal is told', async () => {
  const visit = await stage.member()
  const { page } = visit
  let answer = (): void => undefined
  const answered = new Promise<void>((resolve) => (answer = resolve))
  await page.route(setting, async (route) => {
    await answered
    await route.continue({ url: `${stage.appliance.url}/object/999999999/favourite` })
  })
  await visit.open(`/object/${stage.stocked.server}`)
  const star = page.getByRole('button', { name: 'Favourite', exact: true })
  await star.click()
  // Before the appliance has answered.
  await expect.poll(() => star.getAttribute('aria-pressed')).toBe('true')
  answer()
  await page.getByRole('alert').getByText('(1610)').waitFor()
  expect(await star.getAttribute('aria-pressed')).toBe('false')

  await page.unroute(setting)
  const kept = page.waitForResponse(setting)
  // The call must be through when calls are aborted.
  await pressStar(page)
  expect((await kept).status()).toBe(200)
  await page.getByRole('alert').waitFor({ state: 'detached' })
  expect(await star.getAttribute('aria-pressed')).toBe('true')
  await page.route(setting, (route) => route.abort())
  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Vaults' }).click()
  await page.getByRole('button', { name: 'Remove core1.example.test from favourites' }).click()
  await page.getByText('The appliance cannot be reached.').waitFor()
  await page.getByRole('region', { name: 'Favourites' }).getByRole('link').waitFor()
  visit.complaints.expect(/status of 404/, /net::ERR_FAILED/)
})

it('show no star before it is known whether it is filled', async () => {
  const visit = await stage.member()
  const { page } = visit
  let answer = (): void => undefined
  const answered = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/api/1.0/favourites', async (route) => {
    await answered
    await route.continue()
  })
  await page.reload()
  await visit.open(`/object/${stage.stocked.server}`)
  await visit.sees('core1.example.test')
  const star = page.getByRole('button', { name: 'Favourite', exact: true })
  expect(await star.count()).toBe(0)
  answer()
  await star.waitFor()
})

it.each(looks)('are texts whatever they are called, in %s colours and %i pixels sound', async (theme, width) => {
  const { user, client, vaultid } = await stage.owner(hostileTexts[0])
  const called = [...hostileTexts, ...Array.from({ length: 13 }, (_, at) => `host ${at}`)]
  for (const objectname of called) {
    const id = await createObject(client, vaultid, { objectname, host: 'h.example.test' })
    await client.must('PUT', `/object/${id}/favourite`, { favourite: true })
  }
  const visit = await stage.visitor({ theme, width })
  const { page } = visit
  await visit.arrive(user)
  const list = page.getByRole('region', { name: 'Favourites' })
  await list.waitFor()
  await visit.expectSound('favourites')
  await list.getByRole('button', { name: `All ${called.length} favourites` }).click()
  for (const text of hostileTexts) await list.getByText(text, { exact: true }).first().waitFor()
  expect(await list.getByRole('link').count()).toBe(called.length)
  expect(await page.evaluate('window.hit')).toBeUndefined()
  expect(await visit.findings()).toEqual([])
  await list.getByRole('link', { name: 'host 7' }).click()
  await visit.sees('host 7')
  await page.getByRole('button', { name: 'Favourite', exact: true }).waitFor()
  await visit.expectSound('favourite')
})
