import { endOf, startWorker } from '../../workers/known-workers.ts'
import type { DrawingOutcome, PageSpace, DrawingWish, Undrawable } from './drawing-worker.ts'

/** A drawn page. */
export type DrawnPage = Extract<DrawingOutcome, { picture: ImageBitmap }>

/** A page cannot be drawn. `count`: number of pages, 0 where unknown. */
export class UndrawablePage extends Error {
  override readonly name = 'UndrawablePage'
  readonly why: Undrawable | 'time'
  readonly count: number

  constructor(why: Undrawable | 'time', count = 0) {
    super(why)
    this.why = why
    this.count = count
  }
}

/** Time limit for one page, because a file can be made to take for ever. */
const mostMs = 30_000

/** Draws the pages of a PDF file one at a time, in a worker that it starts when needed. */
export class PdfDrawing {
  readonly #file: Uint8Array<ArrayBuffer>
  #worker: Worker | undefined

  constructor(file: Uint8Array<ArrayBuffer>) {
    this.#file = file
  }

  /** Draws one page. The signal ends the worker. @throws UndrawablePage; Refusal where the worker cannot be loaded */
  async draw(space: PageSpace, signal: AbortSignal): Promise<DrawnPage> {
    signal.throwIfAborted()
    const file = this.#worker ? undefined : new Uint8Array(this.#file).buffer
    const worker = (this.#worker ??= startWorker('drawing'))
    const wish: DrawingWish = { ...space, ...(file && { file }) }
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that of a worker has none
    worker.postMessage(wish, file ? [file] : [])
    try {
      const outcome = await outcomeOf(worker, signal)
      if ('why' in outcome) throw new UndrawablePage(outcome.why, outcome.count)
      return outcome
    } catch (error) {
      // Without an answer that names the pages, the worker may still be busy, so it is ended.
      if (!(error instanceof UndrawablePage) || error.count === 0) this.close()
      throw error
    }
  }

  close(): void {
    this.#worker?.terminate()
    this.#worker = undefined
  }
}

async function outcomeOf(worker: Worker, given: AbortSignal): Promise<DrawingOutcome> {
  const listening = new AbortController()
  const { signal } = listening
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    return await new Promise<DrawingOutcome>((resolve, reject) => {
      timer = setTimeout(() => reject(new UndrawablePage('time')), mostMs)
      given.addEventListener('abort', () => reject(given.reason), { signal })
      const hear = ({ data }: MessageEvent<unknown>): void => void (isOutcome(data) && resolve(data))
      worker.addEventListener('message', hear, { signal })
      const fail = (event: Event): void => reject(endOf(event, new UndrawablePage('form')))
      worker.addEventListener('error', fail, { signal })
    })
  } finally {
    clearTimeout(timer)
    listening.abort()
  }
}

/**
 * Checks a message of the worker: a file that has taken control of it may send anything, and pdf.js sends a message of
 * its own at the start.
 */
function isOutcome(data: unknown): data is DrawingOutcome {
  if (typeof data !== 'object' || data === null || !('count' in data) || !Number.isSafeInteger(data.count)) return false
  if ('why' in data) return data.why === 'form' || data.why === 'passphrase'
  if (!('picture' in data && 'width' in data && 'text' in data)) return false
  return data.picture instanceof ImageBitmap && typeof data.width === 'number' && typeof data.text === 'string'
}
