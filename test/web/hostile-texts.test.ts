import { afterAll, beforeAll, expect, it } from 'vitest'
import { TestAppliance } from '../support/appliance.ts'
import { createObject, upload } from '../support/object-kit.ts'
import { makeVault } from '../support/vault.ts'
import { closeBrowser, Visit } from './browser-kit.ts'

/** Each breaks out of another place: text, an attribute, an address, a script, a style, a template. */
const corpus = [
  '<script>window.hit=1</script>',
  '<img src=x onerror=window.hit=1>',
  '<svg onload=window.hit=1>',
  '"><iframe srcdoc="<script>parent.hit=1</script>">',
  "' onfocus=window.hit=1 autofocus tabindex=1 x='",
  'javascript:window.hit=1',
  '</title><script>window.hit=1</script>',
  '{{constructor.constructor("window.hit=1")()}}${window.hit=1}',
  '<style>*{display:none}</style>',
  '#/vault/1"><b>&lt;b&gt;&amp;',
  '<a href="javascript:window.hit=1">go</a>',
]

let appliance: TestAppliance
beforeAll(async () => {
  appliance = await TestAppliance.start()
})
afterAll(async () => {
  await closeBrowser()
  await appliance.close()
})

it('shows what people and attackers write as text, in every place', async () => {
  const user = await appliance.addUser()
  const client = await appliance.login(user)
  const visit = await Visit.start(appliance)
  const { page } = visit
  await visit.logIn(user)
  const exactly = (text: string) => page.getByText(text, { exact: true }).first()
  for (const text of corpus) {
    const { id: vaultid } = await makeVault(appliance, text, client)
    await client.must('PUT', `/vault/${vaultid}`, { description: `${text} described` })
    const folder = await createObject(client, vaultid, { templateid: '2', name: text, info: `${text} told` })
    const values = {
      objectname: text,
      host: `${text} host`,
      username: `${text} user`,
      password: `${text} pass`,
      info: `${text} info`,
    }
    const object = await createObject(client, vaultid, values)
    const filename = `${text.replaceAll(/["\\/]/g, '')}.txt`
    const file = await upload(
      client,
      { groupid: vaultid, templateid: '3', parentid: folder },
      Buffer.from(text),
      filename,
    ).catch(() => undefined)
    await visit.open(`/vault/${vaultid}`)
    await visit.sees(text)
    // Names stay out of the browser's history.
    expect(await page.title()).toBe('Vault · Strongroom')
    await exactly(`${text} described`).waitFor()
    await page.getByRole('searchbox').fill(text)
    await visit.open(`/vault/${vaultid}/${folder}`)
    await visit.sees(text)
    await visit.open(`/object/${object}`)
    await visit.sees(text)
    expect(await page.title()).toBe('Object · Strongroom')
    for (const value of [values.host, values.username, values.info]) await exactly(value).waitFor()
    await page.getByRole('button', { name: 'Show Password' }).click()
    await exactly(values.password).waitFor()
    if (file !== undefined) {
      await visit.open(`/object/${file}`)
      await page.getByRole('button', { name: 'Download' }).waitFor()
    }
  }
  await visit.open('/')
  await visit.sees('Vaults')
  await page.reload()
  await visit.sees('Vaults')
  expect(await page.getByRole('main').getByRole('link').count()).toBe(corpus.length)
  expect(await page.evaluate('window.hit')).toBeUndefined()
  expect(
    await page
      .locator('iframe, script:not([src]), [onerror], [onload], [onfocus], style, a[href^="javascript"]')
      .count(),
  ).toBe(0)
  visit.expectPeace()
  await visit.close()
})

it('draws labels of templates that another answered as text', async () => {
  const user = await appliance.addUser()
  const client = await appliance.login(user)
  const { id: vaultid } = await makeVault(appliance, 'Labels', client)
  const object = await createObject(client, vaultid)
  const visit = await Visit.start(appliance)
  const { page } = visit
  await visit.logIn(user)
  const address = `${appliance.url}/object/${object}`
  const written = JSON.stringify(await client.must('GET', `/object/${object}`))
  for (const text of corpus) {
    const labelled = written.replaceAll('"Host"', JSON.stringify(text)).replaceAll('"Server"', JSON.stringify(text))
    await page.route(address, (route) => route.fulfill({ contentType: 'application/json', body: labelled }))
    await visit.open('/')
    await visit.sees('Vaults')
    await page.reload()
    await visit.open(`/object/${object}`)
    await page.getByRole('term').filter({ hasText: text }).first().waitFor()
    await page.unroute(address)
  }
  expect(await page.evaluate('window.hit')).toBeUndefined()
  visit.expectPeace()
  await visit.close()
})
