import { isVerdict, Refusal } from './refusal.ts'

/** The envelope of all answers, successes and failures alike. */
export interface AnyEnvelope {
  readonly CALLINFO: { readonly status: string; readonly [member: string]: unknown }
  readonly ERRORCODES?: Readonly<Record<string, string>>
  readonly ERRORS?: readonly string[]
  readonly [member: string]: unknown
}

export interface Sent {
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
  /** Sends the body as a form, and not as JSON. */
  readonly file?: File
  readonly signal?: AbortSignal
  /** Milliseconds until a call without an answer is given up. */
  readonly patienceMs?: number
}

/** Every failure has this number besides its specific one. */
const genericNumber = '2000'
/** Number of the fault `session.invalid`. */
export const sessionInvalid = 1200

/** Milliseconds; enough for a vault of ten thousand objects over a slow line. */
const usualPatienceMs = 60_000
/** Milliseconds; enough for a file over a slow line. */
export const filePatienceMs = 15 * 60_000

export const base = '/api/1.0'
/** Proves that a script of this page makes the call. A form of another site cannot set a header. */
export const ofConsole = { 'X-Strongroom-Console': '1' }

const events = new EventTarget()
/** Returns a function that calls back at each event of this name, and returns one that removes the listener. */
const listeningTo =
  (name: string) =>
  (listener: () => void): (() => void) => {
    events.addEventListener(name, listener)
    return () => events.removeEventListener(name, listener)
  }

const sessionEnd = 'sessionend'
/** Calls back when the appliance says that the session has ended. */
export const onSessionEnd = listeningTo(sessionEnd)

const lostChange = 'lostchange'
/** Calls back when a change was given up or got no answer of the appliance, which may have made it nevertheless. */
export const onLostChange = listeningTo(lostChange)

/** Waits for the answer to a call. Tells the listeners of lost changes of a failure that is not the appliance's refusal. */
export async function noticingLoss<T>(method: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (method !== 'GET' && !isVerdict(error)) events.dispatchEvent(new Event(lostChange))
    throw error
  }
}

/** Sends a call with the session's cookie, which scripts cannot read. @throws Refusal */
export async function send(sent: Sent): Promise<AnyEnvelope> {
  const { method, path, query = {}, body, file, signal, patienceMs = usualPatienceMs } = sent
  const words = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()
  const response = await fetch(`${base}${path}${words === '' ? '' : `?${words}`}`, {
    method,
    headers: {
      ...ofConsole,
      ...(body && { 'Content-Type': 'application/json' }),
    },
    redirect: 'error',
    cache: 'no-store',
    ...(body && { body: JSON.stringify(body) }),
    ...(file && { body: formOf(file) }),
    signal: AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(patienceMs)]),
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause
    throw new Refusal({ status: 0, cause })
  })
  return accept(await envelopeOf(response, signal), response.status, waitOf(response.headers.get('Retry-After')))
}

/** Returns the envelope of a call that succeeded. @throws Refusal for one that failed */
export function accept(envelope: AnyEnvelope, status: number, waitSeconds: number | undefined): AnyEnvelope {
  if (envelope.CALLINFO.status === 'SUCCESS') return envelope
  const [number] = Object.entries(envelope.ERRORCODES ?? {}).find(([known]) => known !== genericNumber) ?? []
  const refusal = new Refusal({
    status,
    number: number === undefined ? undefined : Number(number),
    sentence: envelope.ERRORS?.[0],
    waitSeconds,
  })
  if (refusal.number === sessionInvalid) events.dispatchEvent(new Event(sessionEnd))
  throw refusal
}

function formOf(file: File): FormData {
  const form = new FormData()
  form.append('file', file)
  return form
}

async function envelopeOf(response: Response, signal: AbortSignal | undefined): Promise<AnyEnvelope> {
  try {
    const json: unknown = await response.json()
    if (isEnvelope(json)) return json
  } catch (cause) {
    if (signal?.aborted) throw cause
    // A body that is not JSON comes from another server. Any other error means that the appliance's answer broke off.
    throw new Refusal({ status: cause instanceof SyntaxError ? response.status : 0, cause })
  }
  throw new Refusal({ status: response.status })
}

/** Seconds of a Retry-After header (RFC 9110, 10.2.3). The appliance never sends a date, so a date is ignored. */
export function waitOf(retryAfter: string | null): number | undefined {
  return /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined
}

export const isEnvelope = (json: unknown): json is AnyEnvelope =>
  typeof json === 'object' &&
  json !== null &&
  'CALLINFO' in json &&
  typeof json.CALLINFO === 'object' &&
  json.CALLINFO !== null
