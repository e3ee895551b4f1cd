import { readAnswer, type AnyEnvelope } from './answer.ts'
import { NetworkError } from './errors.ts'
import type { Body } from './request.ts'
import type { Transport } from './transport.ts'

export interface Outgoing {
  readonly method: string
  readonly url: string
  readonly body: Body | undefined
  readonly token?: string | undefined
  /** Called with the token for the next call. */
  readonly onToken?: (token: string) => void
}

export interface TryLimits {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs: number
}

/** Sends a request once and resolves to the envelope of its success. The time limit covers the whole answer. */
export async function send(
  transport: Transport,
  { method, url, body, token, onToken }: Outgoing,
  { signal, timeoutMs }: TryLimits,
): Promise<AnyEnvelope> {
  const headers = {
    ...(token === undefined ? {} : { 'X-Http-Token': token }),
    ...(body === undefined ? {} : { 'Content-Type': body.type }),
  }
  const attempt = new AbortController()
  const giveUp = (): void => attempt.abort(signal?.reason)
  if (signal?.aborted) throw signal.reason
  signal?.addEventListener('abort', giveUp, { once: true })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    attempt.abort()
  }, timeoutMs)
  try {
    const request = { method, url, headers, body: body?.content, signal: attempt.signal }
    return await readAnswer(await transport.send(request).catch(unreachable), onToken)
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (isLate) throw new NetworkError(`No whole answer came within ${timeoutMs} ms.`, { code: 'timeout' })
    throw error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
  }
}

function unreachable(cause: unknown): never {
  const reason = reasonOf(cause)
  const cure = /issuer certificate|first certificate|self-signed/.test(reason)
    ? ' Give the CA of its certificate as ca.'
    : ''
  throw new NetworkError(`The appliance could not be reached: ${reason}.${cure}`, { code: 'network', cause })
}

/**
 * `fetch` says only that it failed, and names the reason as a cause. Where a name has several addresses, Node.js gives a
 * code and no message.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  return error.message || ('code' in error ? String(error.code) : error.name)
}
