import { hasNumber, isVerdict, Refusal } from './refusal.ts'

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
  /** Whether the call changes something that the console shows. Such a call is not cut off when its caller gives up. */
  readonly isChange: boolean
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

/** Listeners of an event of the page. */
class Listeners<Told extends readonly unknown[]> {
  readonly #all = new Set<(...told: Told) => void>()

  /** Returns a function that removes the listener. */
  readonly add = (listener: (...told: Told) => void): (() => void) => {
    this.#all.add(listener)
    return () => void this.#all.delete(listener)
  }

  tell(...told: Told): void {
    for (const listener of this.#all) listener(...told)
  }
}

const sessionEnd = new Listeners<readonly []>()
/** Calls back when the appliance says that the session has ended. */
export const onSessionEnd = sessionEnd.add

const lostChange = new Listeners<readonly [path: string]>()
/**
 * Calls back with the path of a change whose caller does not learn what came of it. One that was given up has been
 * answered by then; one without an answer may have been made nevertheless.
 */
export const onLostChange = lostChange.add

/** The changes that run on after their caller gave up, by the caller's signal. */
const runningOn = new WeakMap<AbortSignal, Promise<void>>()
/** Resolves when a change that was given up by this signal has been answered. */
export const changeGivenUpBy = (signal: AbortSignal): Promise<void> | undefined => runningOn.get(signal)

/** Waits for the answer to a call, or until its caller gives up. */
export async function outcomeOf<T>({ path, isChange, signal }: Sent, answer: Promise<T>): Promise<T> {
  try {
    return await (signal ? untilAborted(answer, signal) : answer)
  } catch (error) {
    if (hasNumber(error, sessionInvalid)) sessionEnd.tell()
    if (isChange && !isVerdict(error)) {
      const settled = answer.catch(() => undefined).then(() => lostChange.tell(path))
      if (signal) runningOn.set(signal, settled)
      if (error instanceof Refusal) {
        const { status, sentence, waitSeconds } = error
        throw new Refusal({ status, sentence, waitSeconds, mayBeDone: true, cause: error })
      }
    }
    throw error
  }
}

/** Waits for an answer, or until the signal. @throws the signal's reason */
export function untilAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason)
    signal.addEventListener('abort', giveUp)
    void answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}

/** Sends a call with the session's cookie, which scripts cannot read. @throws Refusal */
export async function send(sent: Sent): Promise<AnyEnvelope> {
  const { method, path, isChange, query = {}, body, file, signal, patienceMs = usualPatienceMs } = sent
  signal?.throwIfAborted()
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
    signal: AbortSignal.any([...(signal && !isChange ? [signal] : []), AbortSignal.timeout(patienceMs)]),
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
  throw new Refusal({
    status,
    number: number === undefined ? undefined : Number(number),
    sentence: envelope.ERRORS?.[0],
    waitSeconds,
  })
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
