import { addresses, type Operations } from './api.ts'
import { StrongroomError } from './errors.ts'
import { SilenceError } from './transport.ts'

export interface RetryRules {
  /** The most retries. */
  readonly retries: number
  /**
   * Milliseconds of the first pause. Each further one is twice as long, and all are shortened at random so that clients
   * do not retry in step.
   */
  readonly firstDelayMs: number
  /**
   * Milliseconds of the longest pause. A call whose Retry-After is longer fails immediately, with `retryAfterMs` in its
   * error.
   */
  readonly longestDelayMs: number
}

/**
 * Calls other than GET that are repeated: they change nothing, or a first call whose answer was lost does no harm. All
 * others, such as those that create, rotate, delete, import or change something, are sent once.
 */
export const repeatable: Readonly<Partial<Record<keyof Operations, string>>> = {
  'auth.check': 'says that the session is good',
  'transparent.encrypt':
    'another ciphertext of the same plaintext; a key that the first call made is used by the second',
  'transparent.decrypt': 'the same plaintext',
  'transparent.rewrap': 'another ciphertext; the one that was sent stays good',
  'transparent.sign': 'another signature of the same input, as good as the first',
  'transparent.verify': 'the same judgement',
  'transparent.hmac': 'the same HMAC',
  'transparent.datakey': 'another data key; the first reached no caller and is kept nowhere',
  'transparent.random': 'other random bytes',
  'transparent.hash': 'the same hash',
}

export const isRepeatable = (operation: keyof Operations): boolean =>
  addresses[operation][0] === 'GET' ? operation !== 'auth.logout' : repeatable[operation] !== undefined

/** Statuses of temporary failures: 429 and 503 of the appliance, and those of a proxy that could not reach it. */
const passing = [429, 502, 503, 504]

/** Milliseconds before the next try; undefined for no further try. */
function pauseAfter(error: unknown, tries: number, rules: RetryRules): number | undefined {
  if (!(error instanceof StrongroomError) || tries > rules.retries) return undefined
  const { code, status, retryAfterMs, cause } = error
  if (cause instanceof SilenceError) return undefined
  const isPassing = code === 'network' || code === 'timeout' || code === 'protocol' || passing.includes(status ?? 0)
  if (!isPassing) return undefined
  if (retryAfterMs !== undefined) return retryAfterMs > rules.longestDelayMs ? undefined : retryAfterMs
  const delayMs = Math.min(rules.longestDelayMs, rules.firstDelayMs * 2 ** (tries - 1))
  return delayMs * (0.5 + Math.random() / 2)
}

/** Repeats `attempt` while its failure is temporary. */
export async function withRetries<T>(attempt: () => Promise<T>, rules: RetryRules, signal?: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await attempt()
    } catch (error) {
      const delayMs = pauseAfter(error, tries, rules)
      if (delayMs === undefined) throw error
      await pause(delayMs, signal)
    }
}

/** Waits. Rejects with the reason of the signal as soon as it is aborted. */
export function pause(delayMs: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, delayMs)))
  // A timer that is left would keep the program running.
  return untilAborted(over, signal).finally(() => clearTimeout(timer))
}

/** The result of `work`, or the reason of the signal if that is aborted first. `work` continues for other callers. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a caller may give whatever reason it likes
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    // In any case: a rejection that nothing listens to ends a program of Node.js.
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
