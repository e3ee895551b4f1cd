import { applianceError, ProtocolError } from './errors.ts'
import type { TransportAnswer } from './transport.ts'

/** The envelope of all answers, successes and failures alike. */
export interface AnyEnvelope {
  readonly CALLINFO: { readonly status: string; readonly token?: string; readonly [member: string]: unknown }
  readonly ERRORCODES?: Readonly<Record<string, string>>
  readonly ERRORS?: readonly string[]
  readonly [member: string]: unknown
}

/** Every failure has this number besides its specific one. */
const genericNumber = 2000

/**
 * Reads the envelope of a success. `onToken` gets the token for the next call, which refusals have as well.
 * @throws StrongroomError for a failure; ProtocolError for an answer that is not an envelope
 */
export async function readAnswer(answer: TransportAnswer, onToken?: (token: string) => void): Promise<AnyEnvelope> {
  const details = {
    status: answer.status,
    requestId: answer.header('x-request-id'),
    retryAfterMs: readRetryAfter(answer.header('retry-after')),
  }
  const envelope = parse(await answer.text().catch(cut(details)))
  if (envelope === undefined) {
    const type = answer.header('content-type') ?? 'no Content-Type'
    const message = `Status ${answer.status}, and no envelope of the appliance but ${type}: is a proxy in between, or the address wrong?`
    throw new ProtocolError(message, { code: 'protocol', ...details })
  }
  if (typeof envelope.CALLINFO.token === 'string') onToken?.(envelope.CALLINFO.token)
  if (envelope.CALLINFO.status === 'SUCCESS') return envelope
  const [number, text = 'The call failed.'] =
    Object.entries(envelope.ERRORCODES ?? {}).find(([known]) => Number(known) !== genericNumber) ?? []
  throw applianceError(envelope.ERRORS?.[0] ?? text, {
    ...details,
    number: number === undefined ? undefined : Number(number),
  })
}

const cut = (details: object) => (cause: unknown) => {
  throw new ProtocolError('The answer ended before it was complete.', { code: 'protocol', ...details, cause })
}

function parse(text: string): AnyEnvelope | undefined {
  try {
    const json: unknown = JSON.parse(text)
    return isEnvelope(json) ? json : undefined
  } catch {
    return undefined
  }
}

function isEnvelope(json: unknown): json is AnyEnvelope {
  if (typeof json !== 'object' || json === null || !('CALLINFO' in json)) return false
  const { CALLINFO: callinfo } = json
  if (typeof callinfo !== 'object' || callinfo === null || !('status' in callinfo)) return false
  return callinfo.status === 'SUCCESS' || callinfo.status === 'FAIL'
}

/** Milliseconds of a Retry-After header, which holds seconds or a date (RFC 9110 §10.2.3). */
function readRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  // `Date.parse` takes other texts for dates, too, such as -1.
  const date = header.endsWith(' GMT') ? Date.parse(header) : NaN
  const waitMs = /^\d+$/.test(header) ? Number(header) * 1000 : date - Date.now()
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined
}
