import { addresses, type Operations } from './api.ts'
import { StrongroomError } from './errors.ts'

export interface RetryRules {
  /** How often a call is repeated at most. */
  readonly retries: number
  /** The first pause; each further one is twice as long, and all are shortened by chance so that clients do not march in step. */
  readonly firstDelayMs: number
  /** The longest pause. A call whose Retry-After asks for more fails at once, with `retryAfterMs` of the error. */
  readonly longestDelayMs: number
}

/**
 * Calls that are no GET and yet are repeated: they change nothing, or what a first one did without an answer does no harm.
 * All others, such as those that create, rotate, delete, import or change, are sent once.
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

/** Statuses of a proxy that reached no appliance, beside those of the appliance itself. */
const passing = [429, 502, 503, 504]

/** The pause before the next try, or undefined where there shall be none. */
function pauseAfter(error: unknown, tries: number, rules: RetryRules): number | undefined {
  if (!(error instanceof StrongroomError) || tries > rules.retries) return undefined
  const { code, status, retryAfterMs } = error
  const isPassing = code === 'network' || code === 'timeout' || code === 'protocol' || passing.includes(status ?? 0)
  if (!isPassing) return undefined
  if (retryAfterMs !== undefined) return retryAfterMs > rules.longestDelayMs ? undefined : retryAfterMs
  const delayMs = Math.min(rules.longestDelayMs, rules.firstDelayMs * 2 ** (tries - 1))
  return delayMs * (0.5 + Math.random() / 2)
}

/** Does `attempt` again while it fails in a way that passes. */
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

/** Rejects with the reason of the signal as soon as that says so. */
export function pause(delayMs: number, signal?: AbortSignal): Promise<void> {
  return untilAborted(new Promise((resolve) => setTimeout(resolve, delayMs)), signal)
}

/** The outcome of `work`, or the reason of the signal if that comes first; `work` goes on for others who wait. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a caller may give whatever reason it likes
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
