import { expect, it } from 'vitest'
import { createObject, upload } from '../support/object-kit.ts'
import { makeVault } from '../support/vault.ts'
import { consoleStage } from './console-stage.ts'
import { hostileTexts } from './hostile-corpus.ts'

const stage = consoleStage()

it('shows what people and attackers write as text, in every place', async () => {
  const user = await stage.appliance.addUser()
  const client = await stage.appliance.login(user)
  const visit = await stage.visitor()
  const { page } = visit
  await visit.logIn(user)
  const exactly = (text: string) => page.getByText(text, { exact: true }).first()
  for (const text of hostileTexts) {
    const { id: vaultid } = await makeVault(stage.appliance, text, client)
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
  expect(await page.getByRole('main').getByRole('link').count()).toBe(hostileTexts.length)
  expect(await page.evaluate('window.hit')).toBeUndefined()
  expect(
    await page
      .locator('iframe, script:not([src]), [onerror], [onload], [onfocus], style, a[href^="javascript"]')
      .count(),
  ).toBe(0)
})

it('draws labels of templates that another answered as text', async () => {
  const user = await stage.appliance.addUser()
  const client = await stage.appliance.login(user)
  const { id: vaultid } = await makeVault(stage.appliance, 'Labels', client)
  const object = await createObject(client, vaultid)
  const visit = await stage.visitor()
  const { page } = visit
  await visit.logIn(user)
  const address = `${stage.appliance.url}/object/${object}`
  const written = JSON.stringify(await client.must('GET', `/object/${object}`))
  for (const text of hostileTexts) {
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
})

it('runs no script that stands in the page and takes no text for markup: the complaints that fail every other test', async () => {
  const visit = await stage.visitor()
  const { page, origin } = visit
  await page.route(`${origin}/`, async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replace('</head>', '<script>window.hit = 1</script></head>')
    await route.fulfill({ response, body })
  })
  visit.complaints.expect(/inline script.*Content Security Policy/)
  await visit.open()
  await visit.sees('Log in')
  visit.complaints.expect(/TrustedHTML/)
  const tried = page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.hit = 1">')`)
  await expect(tried).rejects.toThrow('TrustedHTML')
  expect(await page.evaluate('window.hit')).toBeUndefined()
})
