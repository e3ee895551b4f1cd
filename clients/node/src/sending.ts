import { readAnswer, type AnyEnvelope } from './answer.ts'
import { NetworkError } from './errors.ts'
import type { Body } from './request.ts'
import type { Transport } from './transport.ts'

export interface Outgoing {
  readonly method: string
  readonly url: string
  readonly body: Body | undefined
  readonly token?: string | undefined
}

/** Sends a request once and resolves to the envelope of its success. The time limit covers the whole answer. */
export async function send(
  transport: Transport,
  { method, url, body, token }: Outgoing,
  { signal, timeoutMs }: { readonly signal?: AbortSignal | undefined; readonly timeoutMs: number },
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
    return await readAnswer(await transport.send(request).catch(unreachable))
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (isLate) throw new NetworkError(`No whole answer came within ${timeoutMs} ms.`, { code: 'timeout' })
    throw error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
  }
}

const unreachable = (cause: unknown): never => {
  throw new NetworkError('The appliance could not be reached.', { code: 'network', cause })
}
