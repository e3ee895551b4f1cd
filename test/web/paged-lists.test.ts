import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Envelope, TestClient } from '../support/client.ts'
import { createObject } from '../support/object-kit.ts'
import type { Visit } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'
import { looks } from './looks.ts'

const stage = consoleStage()

/** The appliance's answer to a person, with a thousand entries like the first one before the others. */
async function withThousandMore<Entry>(
  { page }: Visit,
  client: TestClient,
  path: string,
  entriesOf: (answer: Envelope) => unknown,
  another: (first: Entry, at: number) => Entry,
): Promise<void> {
  const answer = await client.must('GET', path)
  const entries = entriesOf(answer) as [Entry, ...Entry[]]
  entries.unshift(...Array.from({ length: 1_000 }, (_, at) => another(entries[0], at)))
  await page.route(`${stage.appliance.url}${path}`, (route) => route.fulfill({ json: answer }))
}

/** Turns the pages by the keyboard, to the last one; the focus is at the button before the list then. */
async function turnToLast(page: Page, count: number): Promise<void> {
  await page.getByRole('button', { name: 'Next page' }).focus()
  for (let number = 2; number <= count; number += 1) {
    await page.keyboard.press('Enter')
    await page.getByText(`Page ${number} of ${count}`).waitFor()
  }
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Previous page')
}

it.each(looks)(
  'vaults are gone through page by page, and searched, in %s colours and %i pixels',
  async (theme, width) => {
    const { user, client, vaultid } = await stage.owner('Zinc mine')
    const id = await createObject(client, vaultid, { host: 'shaft.example.test' })
    await client.must('PUT', `/object/${id}/tags`, { tags: ['ore'] })
    await client.must('PUT', `/object/${id}/favourite`, { favourite: true })
    const visit = await stage.visitor({ theme, width })
    const { page } = visit
    await withThousandMore<object>(
      visit,
      client,
      '/vault',
      ({ VAULTS }) => VAULTS,
      (first, at) => ({ ...first, id: String(5_000_000 + at), groupname: `Team ${at}`, description: '' }),
    )
    await visit.arrive(user)
    await page.getByText('Page 1 of 11').waitFor()
    const vaults = page.locator('.vaults > li')
    expect(await vaults.count()).toBe(100)
    await page.getByRole('region', { name: 'Favourites' }).getByText('Zinc mine').waitFor()
    await page.getByRole('region', { name: 'Tags' }).getByText('ore').waitFor()
    await visit.expectSound('vaults-long')

    await turnToLast(page, 11)
    expect(await vaults.count()).toBe(1)
    await page.getByRole('searchbox').fill('team 99')
    await page.getByText('Found: 19 vaults').waitFor()
    expect(await vaults.count()).toBe(19)
    await page.getByRole('searchbox').fill('team')
    // Another search begins with its first page.
    await page.getByText('Page 1 of 10').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Page 1 of 11').waitFor()
    await turnToLast(page, 11)
    await visit.tabTo(/Zinc mine/, { most: 1 })
    await page.keyboard.press('Enter')
    await visit.sees('Zinc mine')
    expect(page.url()).toContain(`/vault/${vaultid}`)
  },
)

it.each(looks)('so are service accounts and templates, in %s colours and %i pixels', async (theme, width) => {
  const visit = await stage.visitor({ theme, width })
  const { page } = visit
  const user = await stage.appliance.addUser(['read', 'createVault', 'admin', 'active'])
  await visit.arrive(user)
  const name = `shop-${theme}`
  const client = await stage.appliance.login(user)
  await client.must('POST', '/service', { name })
  await withThousandMore<object>(
    visit,
    client,
    '/service',
    ({ CALLINFO }) => CALLINFO['services'],
    (first, at) => ({ ...first, id: String(5_000_000 + at), name: `robot-${at}` }),
  )
  const entries = page.locator('.entries > li')
  await visit.open('/administration/services')
  await page.getByText('Page 1 of 11').waitFor()
  expect(await entries.count()).toBe(100)
  await visit.expectSound('services-long')
  await turnToLast(page, 11)
  await visit.tabTo(new RegExp(name), { most: await entries.count() })
  await page.getByRole('searchbox').fill('robot-70')
  await page.getByText('Page 11 of 11').waitFor({ state: 'detached' })
  await expect.poll(() => entries.count()).toBe(11)

  await withThousandTemplates(visit, client)
  await visit.open('/administration/templates')
  await visit.sees('Templates')
  await page.getByText(/^Page 1 of 1\d$/).waitFor()
  expect(await entries.count()).toBe(100)
  await visit.expectSound('templates-long')
  await page.getByRole('searchbox', { name: 'Filter this list' }).fill('form 99')
  await expect.poll(() => entries.count()).toBe(19)
})

const withThousandTemplates = (visit: Visit, client: TestClient) =>
  withThousandMore<{ INFO: object }>(
    visit,
    client,
    '/template',
    ({ TEMPLATE }) => TEMPLATE,
    (first, at) => ({ ...first, INFO: { ...first.INFO, id: String(5_000 + at), name: `Form ${at}` } }),
  )

it('so are the versions of a key, and the keys that can be taken back', async () => {
  const { client, vaultid, visit, page } = await stage.visitingOwner('Long')
  const keys = `/transparent/${vaultid}/keys`
  for (const name of ['long', 'gone']) await client.must('POST', `${keys}/${name}`, { allow_delete: true })
  await client.must('DELETE', `${keys}/gone`)
  await withThousandMore<object>(
    visit,
    client,
    `${keys}/long?details=true`,
    ({ VERSIONS }) => VERSIONS,
    (first, at) => ({ ...first, key_version: String(2 + at) }),
  )
  await withThousandMore<object>(
    visit,
    client,
    `${keys}?after=&details=false&deleted=true`,
    ({ KEYS }) => KEYS,
    (first, at) => ({ ...first, name: `before-${at}` }),
  )
  await visit.open(`/vault/${vaultid}/keys/long`)
  await page.getByText('Page 1 of 11').waitFor()
  expect(await page.locator('.versions > li').count()).toBe(100)
  await visit.expectSound('key-versions-long')
  await visit.open(`/vault/${vaultid}/keys`)
  await page.getByText('Page 1 of 11').waitFor()
  expect(await page.locator('.items > li').count()).toBe(100)
})

it('so are the templates of a new object, of which the last is chosen by the keyboard', async () => {
  const { user, client, vaultid } = await stage.owner('Forms')
  const visit = await stage.visitor()
  const { page } = visit
  await visit.arrive(user)
  await withThousandTemplates(visit, client)
  await visit.open(`/vault/${vaultid}/0/new`)
  const place = page.getByText(/^Page 1 of 1\d$/)
  await place.waitFor()
  const count = Number((await place.textContent())?.split(' ').at(-1))
  const cards = page.locator('.templates li')
  expect(await cards.count()).toBe(100)
  await visit.expectSound('new-object-long')
  await turnToLast(page, count)
  const last = (await cards.last().locator('.title').textContent()) ?? ''
  await visit.tabTo(new RegExp(last), { most: await cards.count() })
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Change template' }).waitFor()
  await page.getByText(last, { exact: true }).first().waitFor()
})

it('users are searched for without control characters, and the search stays where its answer is lost', async () => {
  const visit = await stage.visitor()
  const { page } = visit
  await visit.arrive(await stage.appliance.addUser(['read', 'admin', 'active']))
  await visit.open('/administration/users')
  await visit.sees('Users')
  // Pasted control characters are no part of the search.
  await page.getByRole('searchbox').fill('\u0001no such one')
  await page.getByText('No users match your search.').waitFor()
  expect(await page.getByText('Only the first 15 characters').count()).toBe(0)
  // A search that is lost stays in its field, with the focus, and is tried again there.
  await page.route(/\/user\?/, (route) => route.fulfill({ status: 502, body: '' }))
  await page.getByRole('searchbox').fill('still no one')
  await page.getByRole('alert').getByText('(502)').waitFor()
  expect(await visit.focused()).toBe('Search by name, username or email')
  await page.unroute(/\/user\?/)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No users match your search.').waitFor()
  visit.complaints.expect(/status of 502/)
})
