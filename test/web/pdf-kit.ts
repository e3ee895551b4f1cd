import { openBrowser } from './browser-kit.ts'

/** A PDF file of these objects, numbered from 1, the first of which is its catalogue. */
export function pdfOf(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  let file = Buffer.from('%PDF-1.7\n')
  const places = objects.map((object, index) => {
    const place = file.length
    file = Buffer.concat([file, Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')])
    return place
  })
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  return Buffer.concat([
    file,
    Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${table}`),
    Buffer.from(`trailer <</Size ${size} /Root 1 0 R ${trailer}>>\nstartxref\n${file.length}\n%%EOF\n`),
  ])
}

/** An object with content. */
export const stream = (dictionary: string, content: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`<<${dictionary}/Length ${Buffer.byteLength(content)}>>stream\n`),
    Buffer.from(content),
    Buffer.from('\nendstream'),
  ])

interface PageParts {
  readonly content: string
  /** More of the page. */
  readonly page?: string
  /** More of the catalogue. */
  readonly catalogue?: string
  /** Further objects, from number 5. */
  readonly more?: readonly (string | Buffer)[]
  readonly trailer?: string
}

/** A PDF file of one page. */
export function onePage({ content, page = '', catalogue = '', more = [], trailer }: PageParts): Buffer {
  const size = page.includes('/MediaBox') ? '' : '/MediaBox[0 0 200 200]'
  return pdfOf(
    [
      `<</Type/Catalog/Pages 2 0 R${catalogue}>>`,
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      `<</Type/Page/Parent 2 0 R${size}/Contents 4 0 R${page}>>`,
      stream('', content),
      ...more,
    ],
    trailer,
  )
}

/** As Chromium prints it. */
export async function printed(html: string): Promise<Buffer> {
  const page = await (await openBrowser()).newPage()
  try {
    await page.setContent(html)
    return await page.pdf({ width: '400px', height: '300px', printBackground: true })
  } finally {
    await page.close()
  }
}

/** Draws itself through thirty forms, each of which draws the next one three times: no machine comes to its end. */
export const endless = (): Buffer =>
  onePage({
    content: '/A Do',
    page: '/Resources<</XObject<</A 5 0 R>>>>',
    more: [
      ...Array.from({ length: 30 }, (_, index) =>
        stream(
          `/Type/XObject/Subtype/Form/BBox[0 0 200 200]/Resources<</XObject<</A ${index + 6} 0 R>>>>`,
          '/A Do /A Do /A Do',
        ),
      ),
      stream('/Type/XObject/Subtype/Form/BBox[0 0 9 9]', '0 0 9 9 re f'),
    ],
  })

/** Under a pass phrase of its own. */
export const encrypted = (): Buffer =>
  onePage({
    content: '',
    trailer: `/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<${'11'.repeat(32)}>/U<${'22'.repeat(32)}>>>`,
  })

/** Of one page, which is a black square as fax machines write it (CCITT group 4). */
export const scanned = (): Buffer =>
  onePage({
    content: 'q 100 0 0 100 0 100 cm /A Do Q',
    page: '/Resources<</XObject<</A 5 0 R>>>>',
    more: [
      stream(
        '/Type/XObject/Subtype/Image/Width 16/Height 16/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 16/Rows 16>>',
        Buffer.from('26a0bfffffffe0020020', 'hex'),
      ),
    ],
  })
