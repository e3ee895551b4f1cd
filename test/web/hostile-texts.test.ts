import { expect, it, onTestFinished } from 'vitest'
import { builtInTemplates } from '../../src/features/templates/built-in.ts'
import { templateIds } from '../../src/features/templates/template.ts'
import { keyKinds, makeCertificate, makeSamples } from '../support/file-samples.ts'
import { createObject, upload } from '../support/object-kit.ts'
import { makeVault } from '../support/vault.ts'
import { consoleStage } from './console-stage.ts'
import { hostileTexts } from './hostile-corpus.ts'

const stage = consoleStage()

/** What a text makes that is taken for markup. */
const planted = 'iframe, script:not([src]), [onerror], [onload], [onfocus], style, a[href^="javascript"]'

interface Answered {
  readonly OBJECT: readonly object[]
  readonly TEMPLATES: readonly { readonly structure: readonly { readonly fieldname: string }[] }[]
}

it('shows what people and attackers write as text, in every place', async () => {
  const user = await stage.appliance.addUser()
  const client = await stage.appliance.login(user)
  const visit = await stage.visitor()
  const { page } = visit
  await visit.arrive(user)
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
  expect(await page.locator(planted).count()).toBe(0)
})

it('shows what stands in the fields of every template as text, also what a history keeps of it', async () => {
  const { user, client, vaultid } = await stage.owner('Fields')
  const visit = await stage.visitor()
  const { page } = visit
  await visit.arrive(user)
  const samples = makeSamples()
  onTestFinished(() => samples.cleanup())
  const certificate = makeCertificate(samples, 'web', keyKinds['ec-p256'] ?? [])
  const filled = builtInTemplates.filter(({ id, fields }) => {
    const hasFile = fields.some(({ type }) => type === 'file')
    return id !== templateIds.folder && (!hasFile || id === templateIds.certificate)
  })
  expect(filled.length).toBeGreaterThan(8)
  let at = 0
  for (const { id: templateid, fields } of filled) {
    const typed = fields.filter(({ type }) => type !== 'file')
    const text = (): string => hostileTexts[at++ % hostileTexts.length] ?? ''
    const values = Object.fromEntries(typed.map(({ name }) => [name, `${text()} ${name}`]))
    const members = { templateid: String(templateid), objectname: 'Tame', ...values }
    const object = await (templateid === templateIds.certificate
      ? upload(client, { groupid: vaultid, ...members }, certificate, 'web.pem')
      : createObject(client, vaultid, members))
    const seesAll = async (): Promise<void> => {
      for (const { label } of typed.filter(({ encrypted }) => encrypted))
        await page.getByRole('button', { name: `Show ${label}`, exact: true }).click()
      for (const value of Object.values(values)) await page.getByText(value, { exact: true }).first().waitFor()
      expect(await page.locator(planted).count()).toBe(0)
    }
    await visit.open(`/object/${object}`)
    await visit.sees('Tame')
    await seesAll()
    await client.must('PUT', `/object/${object}`, Object.fromEntries(typed.map(({ name }) => [name, 'tame'])))
    await visit.open(`/object/${object}/history`)
    await visit.sees('History of Tame')
    await page.getByText('Version 1', { exact: true }).click()
    await seesAll()
  }
  expect(await page.evaluate('window.hit')).toBeUndefined()
})

/** What every text and name of the page has, and what a screen reader or a pointer learns of it. */
const allShown = `[...document.querySelectorAll('body, [aria-label], [title], [alt]')].flatMap((one) =>
  [one.textContent, ...['aria-label', 'title', 'alt'].map((name) => one.getAttribute(name) ?? '')]).join('\\n')`

it('shows characters that turn a text around or that nobody sees by their numbers', async () => {
  const { user, client } = await stage.owner('Turned', ['read', 'createVault', 'admin', 'audit', 'active'])
  const name = 'invoice_\u202Efdp.exe'
  const guest = await stage.appliance.addUser()
  await client.must('PUT', `/user/${guest.id}`, { fullname: name })
  const { id: vaultid } = await makeVault(stage.appliance, name, client)
  await client.must('POST', `/vault/${vaultid}/member/${guest.id}`, { status: 1 })
  await client.must('POST', `/transparent/${vaultid}/keys/turned`, { info: name })
  const folder = await createObject(client, vaultid, { templateid: '2', name, info: name })
  const file = await upload(client, { groupid: vaultid, templateid: '3', parentid: folder }, Buffer.from(name), name)
  const login = await createObject(client, vaultid, { objectname: name, host: name, username: name, password: name })
  await client.must('PUT', `/object/${file}/tags`, { tags: [name] })
  const visit = await stage.visitor()
  const { page } = visit
  await visit.arrive(user)
  const folders = ['', `/${folder}`, '/about', '/keys'].map((part) => `/vault/${vaultid}${part}`)
  const objects = [file, login].flatMap((id) => [`/object/${id}`, `/object/${id}/trail`])
  for (const address of ['/', ...folders, ...objects, `/administration/users/${guest.id}`]) {
    await visit.open(address)
    await page.getByText('invoice_[U+202E]fdp.exe').first().waitFor()
    expect(await page.evaluate(allShown), address).not.toContain('\u202E')
  }
})

/** Of every type, and of one that is none. */
const answeredTypes = ['text', 'textarea', 'dropdown', 'countrycode', 'progress', 'date', 'datetime', 'x"><b>']

it('draws labels and values of templates that another answered as text', async () => {
  const user = await stage.appliance.addUser()
  const client = await stage.appliance.login(user)
  const { id: vaultid } = await makeVault(stage.appliance, 'Labels', client)
  const object = await createObject(client, vaultid)
  const visit = await stage.visitor()
  const { page } = visit
  await visit.arrive(user)
  const address = `${stage.appliance.url}/object/${object}`
  const read: Answered = JSON.parse(JSON.stringify(await client.must('GET', `/object/${object}`)))
  const model = read.TEMPLATES[0]?.structure.find(({ fieldname }) => fieldname === 'host')
  for (const text of hostileTexts) {
    const structure = answeredTypes.map((type) => ({ ...model, fieldname: type, translation: text, type }))
    const values = Object.fromEntries(answeredTypes.map((type) => [type, text]))
    const json = {
      ...read,
      TEMPLATES: read.TEMPLATES.map((one) => ({ ...one, name: text, structure })),
      OBJECT: read.OBJECT.map((one) => ({ ...one, public: values })),
    }
    await page.route(address, (route) => route.fulfill({ json }))
    await visit.open('/')
    await visit.sees('Vaults')
    await page.reload()
    await visit.open(`/object/${object}`)
    await page.getByRole('term').filter({ hasText: text }).first().waitFor()
    expect(await page.getByRole('term').filter({ hasText: text }).count()).toBe(answeredTypes.length)
    expect(await page.getByRole('definition').filter({ hasText: text }).count()).toBe(answeredTypes.length)
    expect(await page.locator(planted).count()).toBe(0)
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

it('leaves the full stops of what runs from the right where they were written', async () => {
  const { user, client, vaultid } = await stage.owner('כספת!')
  const id = await createObject(client, vaultid, { host: 'rtl.example.test', username: 'מנהל!', info: 'שלום, עולם!' })
  const visit = await stage.visitor()
  const { page } = visit
  await visit.arrive(user)
  /** Whether the last character of a text stands to the left of the first one. */
  async function runsFromRight(text: string): Promise<boolean> {
    await page.getByText(text, { exact: true }).first().waitFor()
    return page.evaluate(`{
      const all = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
      while (all.nextNode().data !== ${JSON.stringify(text)});
      const leftOf = (at) => {
        const range = new Range()
        range.setStart(all.currentNode, at)
        range.setEnd(all.currentNode, at + 1)
        return range.getBoundingClientRect().left
      }
      leftOf(${text.length - 1}) < leftOf(0)
    }`)
  }
  expect(await runsFromRight('כספת!')).toBe(true)
  await visit.open(`/object/${id}`)
  await visit.sees('rtl.example.test')
  expect(await runsFromRight('מנהל!')).toBe(true)
  expect(await runsFromRight('שלום, עולם!')).toBe(true)
  await page.getByRole('link', { name: 'Edit' }).click()
  const field = page.getByLabel('Username', { exact: true })
  await field.waitFor()
  const styles = "[...document.querySelectorAll('input, textarea')].map((one) => getComputedStyle(one).unicodeBidi)"
  expect(new Set(await page.evaluate<string[]>(styles))).toEqual(new Set(['plaintext']))
})
