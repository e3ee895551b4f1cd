import { LinkedList } from '../../linked-list.ts'
import type { Transport } from '../contract/call-transport.ts'
import type { Response } from './refusals.ts'

/**
 * Closes connections whose clients do not read their answers, even if they send other data: over HTTP/2 a window of
 * zero bytes holds an answer back for as long as PINGs keep the connection alive.
 */
export interface StalledAnswers {
  /** Watches an answer from the beginning of its call until the result is called. */
  watch(response: Response, transport: Transport): () => void
  close(): void
}

/** An answer gets this much more time for its length: clients must read at least 16 KiB a second. */
const leastBytesPerMs = 16

interface Answer {
  readonly response: Response
  readonly transport: Transport
  /** The time by which it must have left; set once it has begun to leave. */
  dueAt: number | undefined
}

export function createStalledAnswers(timeoutMs: number): StalledAnswers {
  const waiting = new LinkedList<Answer>()
  const timer = setInterval(look, Math.min(1_000, timeoutMs)).unref()

  function look(): void {
    const now = performance.now()
    for (const answer of waiting) {
      const { response } = answer
      // Every answer is complete before its first byte is sent; the rest may be on its way in pieces.
      if (!response.headersSent) continue
      answer.dueAt ??= now + timeoutMs + Number(response.getHeader('content-length') ?? 0) / leastBytesPerMs
      if (now > answer.dueAt) answer.transport.destroy()
    }
  }

  return {
    watch(response, transport) {
      const item = waiting.append({ response, transport, dueAt: undefined })
      return () => void waiting.remove(item)
    },
    close: () => clearInterval(timer),
  }
}
