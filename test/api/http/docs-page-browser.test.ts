import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { applianceForTests } from '../../support/for-tests.ts'
import { openChromium, type Page } from '../../support/chromium.ts'
import { curl } from '../../support/wire.ts'

/** The page of the interface in a browser: what it shows after each key. */

const appliance = applianceForTests()
let page: Page
let address: string

beforeAll(async () => {
  address = `${appliance.url}/docs`
  page = await openChromium(appliance.ca)
})
afterAll(() => page.close())
beforeEach(() => page.open(address))

const visible = (selector: string, member: string): Promise<string[]> =>
  page.run(
    `[...document.querySelectorAll('${selector}')].filter((one) => one.checkVisibility()).map((one) => one.${member})`,
  )
const articles = (): Promise<string[]> => visible('main article', 'dataset.id')
const links = (): Promise<string[]> => visible('nav li a', 'hash.slice(1)')
const sections = (): Promise<string[]> => visible('main > section > h2', 'id')
const found = (): Promise<string> => page.run(`document.getElementById('found').textContent`)

/** Replaces the search text. */
async function search(text: string): Promise<void> {
  await page.run(`document.getElementById('search').select()`)
  await page.type(text)
}

describe('the search', () => {
  it('is hidden where no script runs, and shown where it does', async () => {
    const [field = ''] = /<input[^>]*id="search"[^>]*>/.exec(await curl(appliance, '/docs')) ?? []
    expect(field).toMatch(/type="search".* hidden/)
    expect(await visible('#search', 'type')).toEqual(['search'])
  })

  it('leaves the operations that hold the word, in the list of links too', async () => {
    const all = await articles()
    expect(all.length).toBeGreaterThan(70)
    expect(await links()).toEqual(all)
    await search('Pwgen')
    const left = await articles()
    expect(left).toContain('utils.pwgen')
    expect(left.length).toBeLessThan(5)
    expect(await links()).toEqual(left)
    expect(await sections()).toEqual(['utils'])
    expect(await found()).toBe(`${left.length} of ${all.length}`)
  })

  it.each([
    ['usercert certificate pem', ['usercert.add'], ['vault.list', 'auth.login']],
    ['batch_input', ['transparent.encrypt', 'transparent.decrypt', 'transparent.rewrap'], ['vault.list']],
    ['transparent/{vaultid}/sign', ['transparent.sign'], ['transparent.encrypt', 'utils.pwgen']],
  ])('finds by all words of %j, wherever in an operation they stand', async (text, there, gone) => {
    await search(text)
    const left = await articles()
    expect(left).toEqual(expect.arrayContaining(there))
    for (const name of gone) expect(left).not.toContain(name)
  })

  it('finds an error by its number', async () => {
    const holding = await page.run<string[]>(
      `[...document.querySelectorAll('main article')].filter((one) => one.textContent.includes('1509')).map((one) => one.dataset.id)`,
    )
    expect(holding.length).toBeGreaterThan(0)
    await search('1509')
    expect(await articles()).toEqual(holding)
  })

  it('says when nothing fits, and shows all again when it is emptied', async () => {
    const all = await articles()
    await search('nothingholdsthis')
    expect([await articles(), await links(), await sections()]).toEqual([[], [], []])
    expect(await found()).toBe(`0 of ${all.length}`)
    await search('\b')
    expect([await articles(), await found()]).toEqual([all, ''])
    expect(await sections()).toEqual(expect.arrayContaining(['transparent', 'failures', 'records']))
  })

  it('shows what its field says when the page is loaded again', async () => {
    await search('pwgen')
    await page.reload()
    const isEmpty = await page.run<boolean>(`document.getElementById('search').value === ''`)
    expect((await articles()).length > 70).toBe(isEmpty)
  })
})

describe('the examples', () => {
  it.each(['curl', 'node', 'python'])('are shown in one language at a time: %s', async (language) => {
    await page.run(`document.getElementById('as-${language}').click()`)
    const shown = new Set(await visible('.samples pre', 'className'))
    expect([...shown]).toEqual([language])
  })
})

describe('the page', () => {
  it('raised no error and no violation of its policy, and asked nobody else', () => {
    expect(page.complaints).toEqual([])
    expect(new Set(page.requests.map((url) => url.split('#')[0]))).toEqual(new Set([address]))
  })

  it('stands under a policy that would have shown: what is not of the page neither runs nor loads', async () => {
    await page.run(`document.body.append(Object.assign(document.createElement('script'), { text: 'planted = 1' }))`)
    await page.run(`document.body.append(Object.assign(new Image(), { src: 'https://127.0.0.2/picture' }))`)
    expect(await page.run(`typeof planted`)).toBe('undefined')
    expect(page.complaints.join('\n')).toMatch(/script[^]*img|img[^]*script/)
  })
})
