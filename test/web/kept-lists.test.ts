import { expect, it } from 'vitest'
import { createObject } from '../support/object-kit.ts'
import type { Visit } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

async function administrator(): Promise<Visit> {
  const visit = await stage.visitor()
  await visit.arrive(await stage.appliance.addUser(['read', 'createVault', 'admin', 'audit', 'active']))
  return visit
}

/** What outlasts the page. */
const leftBehind = 'location.href + JSON.stringify([history.state, { ...localStorage, ...sessionStorage }])'

/** What is typed into the only search field of a view is there after Back, and is in no address and no storage. */
async function expectKept({ page }: Visit, typed: string, item: RegExp | string): Promise<void> {
  const field = page.getByRole('searchbox').first()
  await field.fill(typed)
  await page.getByRole('main').getByRole('link', { name: item }).first().click()
  await page.getByRole('searchbox', { name: /^(Search|Filter)/ }).waitFor({ state: 'detached' })
  await page.goBack()
  await expect.poll(() => field.inputValue()).toBe(typed)
  await page.getByRole('main').getByRole('link', { name: item }).first().waitFor()
  expect(await page.evaluate(leftBehind)).not.toContain(typed)
}

it('a search in all vaults is there again after Back', async () => {
  await expectKept(await stage.member(), 'core1', 'core1.example.test')
})

it('the filter of a vault is there again after Back, and not at another entry of the history', async () => {
  const visit = await stage.member()
  const { page } = visit
  await visit.open(`/vault/${stage.stocked.vaultid}`)
  await visit.sees('Network')
  await expectKept(visit, 'core1', 'core1.example.test')
  await page.goBack()
  await visit.sees('Vaults')
  expect(await page.getByRole('searchbox').inputValue()).toBe('')
})

it('the search for users is there again after Back', async () => {
  const visit = await administrator()
  await visit.open('/administration/users')
  await visit.sees('Users')
  const { username } = await stage.appliance.addUser()
  await expectKept(visit, username, username)
})

it('the filter of keys is there again after Back', async () => {
  const { client, vaultid, visit } = await stage.visitingOwner('Kept')
  for (const name of ['orders', 'tickets']) await client.must('POST', `/transparent/${vaultid}/keys/${name}`, {})
  await visit.open(`/vault/${vaultid}/keys`)
  await visit.sees('Keys of Kept')
  await expectKept(visit, 'orde', 'orders')
})

it('the criteria of the audit trail are there again after Back', async () => {
  const visit = await administrator()
  const { page } = visit
  await visit.open('/administration/audit')
  await visit.sees('Audit trail')
  await page.getByText('Filters').click()
  await page.getByLabel('Operation').fill('auth.login')
  await page.getByLabel('From', { exact: true }).fill('2020-01-02T03:04')
  await page.getByRole('button', { name: 'Apply' }).click()
  const reads = (): string[] => visit.asked.filter((url) => url.includes('operation=auth.login'))
  await expect.poll(() => reads().length).toBe(1)
  await visit.open('/administration/users')
  await visit.sees('Users')
  await page.goBack()
  await expect.poll(() => reads().length).toBe(2)
  expect(reads()[1]).toBe(reads()[0])
  expect(reads()[1]).toMatch(/since=20/)
  expect(await page.getByLabel('Operation').inputValue()).toBe('auth.login')
  expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2020-01-02T03:04')
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect.poll(() => page.getByLabel('Operation').inputValue()).toBe('')
})

it('the filter of a long list is there again after Back', async () => {
  const { client, user } = await stage.owner('Forms', ['read', 'createVault', 'admin', 'active'])
  const visit = await stage.visitor()
  await visit.page.route(`${stage.appliance.url}/template`, async (route) => {
    const answer = await client.must('GET', '/template')
    const templates = answer['TEMPLATE'] as readonly { readonly INFO: object }[]
    const [one] = templates
    const others = Array.from({ length: 150 }, (_, at) => ({
      ...one,
      INFO: { ...one?.INFO, id: String(7_000 + at), name: `Form ${1000 + at}` },
    }))
    await route.fulfill({ json: { ...answer, TEMPLATE: [...templates, ...others] } })
  })
  await visit.arrive(user)
  await visit.open('/administration/templates')
  await visit.sees('Templates')
  await expectKept(visit, '1042', /Form 1042/)
})

it('the page of a long list is there again after Back', async () => {
  const { client, vaultid, page } = await stage.visitingOwner('Pages')
  await createObject(client, vaultid, { host: 'one.example.test' })
  const address = `${stage.appliance.url}/vault`
  await page.route(address, async (route) => {
    const answer = await client.must('GET', '/vault')
    const [vault] = answer['VAULTS'] as readonly object[]
    const VAULTS = Array.from({ length: 250 }, (_, at) => ({
      ...vault,
      ...(at < 249 && { id: String(7_000_000 + at) }),
      groupname: `Vault ${1000 + at}`,
    }))
    await route.fulfill({ json: { ...answer, VAULTS } })
  })
  await page.reload()
  const next = page.getByRole('button', { name: 'Next' })
  await next.click()
  await next.click()
  await page.getByText('Page 3 of 3').waitFor()
  await page.getByRole('link', { name: 'Vault 1249' }).click()
  await page.getByText('one.example.test').waitFor()
  await page.goBack()
  await page.getByText('Page 3 of 3').waitFor()
})

it('a filter is gone after a logout', async () => {
  const { client, vaultid, user } = await stage.owner('Left')
  for (const name of ['orders', 'tickets']) await client.must('POST', `/transparent/${vaultid}/keys/${name}`, {})
  const visit = await stage.visitor()
  const { page } = visit
  await visit.arrive(user)
  await visit.open(`/vault/${vaultid}/keys`)
  await visit.sees('Keys of Left')
  await expectKept(visit, 'orde', 'orders')
  await page.getByRole('button', { name: 'Log out' }).click()
  await visit.sees('Log in')
  await visit.logIn(user)
  await page.goBack()
  await visit.sees('Keys of Left')
  expect(await page.getByRole('searchbox').inputValue()).toBe('')
})
