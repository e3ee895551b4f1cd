// The parsing half of pdf.js. It registers itself globally, so that the other half starts no worker of its own.
import 'pdfjs-dist/legacy/build/pdf.worker.mjs'
import {
  getDocument,
  PasswordException,
  type PDFDocumentProxy,
  type PDFPageProxy,
} from 'pdfjs-dist/legacy/build/pdf.mjs'
import { PlainFilters, WorkerCanvases } from './worker-canvases.ts'

// Reads and draws PDF files in a worker. A file that takes control of pdf.js reaches neither the page nor the network,
// which the content security policy of this script forbids.

/** Which page to draw, and the space for it. */
export interface PageSpace {
  /** Number of the page, from 1. */
  readonly number: number
  /** Available width in CSS pixels. */
  readonly room: number
  /** Pixels of the picture for each CSS pixel. */
  readonly density: number
}

/** A request of the page to this worker. */
export interface DrawingWish extends PageSpace {
  /** The file, in the first request only. */
  readonly file?: ArrayBuffer
}

/** Why a page cannot be drawn: the file is malformed, or it has a pass phrase. */
export type Undrawable = 'form' | 'passphrase'

/** The worker's answer. `count`: number of pages, 0 where unknown. */
export type DrawingOutcome =
  | { readonly picture: ImageBitmap; readonly width: number; readonly text: string; readonly count: number }
  | { readonly why: Undrawable; readonly count: number }

/**
 * Limits. A picture beyond them is drawn at a lower resolution, larger images are left out, and longer text is cut off.
 */
const most = { side: 8_192, pixels: 8 * 1024 * 1024, imagePixels: 64 * 1024 * 1024, characters: 100_000 } as const
/** CSS pixels for each point of PDF. */
const cssPixels = 96 / 72

let reading: Promise<PDFDocumentProxy> | undefined

const open = (data: ArrayBuffer): Promise<PDFDocumentProxy> =>
  getDocument({
    data,
    CanvasFactory: WorkerCanvases,
    FilterFactory: PlainFilters,
    // Glyphs are drawn as outlines, so that the browser loads no font of a file.
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    useWorkerFetch: false,
    disableWorkerRendering: true,
    enableXfa: false,
    // JavaScript decodes JPEGs, and not the browser's own decoder.
    isImageDecoderSupported: false,
    maxImageSize: most.imagePixels,
    canvasMaxAreaInBytes: most.pixels * 4,
    verbosity: 0,
  }).promise

async function draw(page: PDFPageProxy, { room, density }: PageSpace) {
  const whole = page.getViewport({ scale: 1 })
  const scale = Math.min(cssPixels, room / whole.width)
  const fine = Math.min(
    scale * density,
    most.side / whole.width,
    most.side / whole.height,
    Math.sqrt(most.pixels / (whole.width * whole.height)),
  )
  const viewport = page.getViewport({ scale: fine })
  const canvas = new OffscreenCanvas(Math.max(1, viewport.width), Math.max(1, viewport.height))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- pdf.js draws on either; its types name that of a page alone
  await page.render({ canvas: canvas as unknown as HTMLCanvasElement, viewport }).promise
  return { picture: canvas.transferToImageBitmap(), width: whole.width * scale }
}

async function textOf(page: PDFPageProxy): Promise<string> {
  const { items } = await page.getTextContent()
  let text = ''
  for (const item of items) {
    if (text.length > most.characters) break
    if ('str' in item) text += item.hasEOL ? `${item.str}\n` : item.str
  }
  return text.slice(0, most.characters).trim()
}

async function fulfil(wish: DrawingWish): Promise<DrawingOutcome> {
  let count = 0
  try {
    if (wish.file) reading = open(wish.file)
    const document = await reading
    if (document === undefined) return { why: 'form', count }
    count = document.numPages
    const page = await document.getPage(wish.number)
    try {
      return { ...(await draw(page, wish)), text: await textOf(page), count }
    } finally {
      page.cleanup()
    }
  } catch (error) {
    return { why: error instanceof PasswordException ? 'passphrase' : 'form', count }
  }
}

self.addEventListener('message', ({ data }: MessageEvent<DrawingWish>) => {
  void fulfil(data).then((outcome) =>
    self.postMessage(outcome, { transfer: 'picture' in outcome ? [outcome.picture] : [] }),
  )
})
