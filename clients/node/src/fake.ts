import { addresses, errorCatalogue, type Operations } from './api.ts'
import { createClient, type Client, type ClientOptions } from './client.ts'
import { FakeRefusal, type CatalogueCode } from './fake-keys.ts'
import { fakeOperations, type FakeCall, type FakeOperation } from './fake-operations.ts'
import type { Login } from './logins.ts'
import type { Transport, TransportAnswer, TransportRequest } from './transport.ts'

export type { FakeAnswer, FakeCall, FakeOperation } from './fake-operations.ts'

/** How a call fails: with a code of the catalogue, a broken connection, a truncated answer, or HTML of a proxy. */
export type FakeFailure = CatalogueCode | 'network' | 'cut' | 'html'

/**
 * An appliance in memory, for tests of programs that use the client. The client is the real one, with batches, retries,
 * renewals and errors, and encryption is real. Permissions are not checked.
 */
export interface FakeAppliance {
  readonly transport: Transport
  /** All calls except logins. */
  readonly calls: readonly FakeCall[]
  /** Number of logins. */
  readonly logins: number
  client(options?: Partial<ClientOptions>): Client
  /** Makes the next calls of an operation fail: one, or `times` many. */
  fail(
    operation: keyof Operations,
    failure: FakeFailure,
    options?: { times?: number; retryAfterSeconds?: number },
  ): void
  /** Defines or replaces the answer of an operation. */
  answer(operation: keyof Operations, handler: FakeOperation): void
  /** Ends all sessions, as an administrator can. The next call logs in again. */
  endSessions(): void
}

interface Planned {
  readonly failure: FakeFailure
  readonly retryAfterSeconds: number | undefined
}

export function createFakeAppliance(): FakeAppliance {
  const handlers = fakeOperations()
  const planned = new Map<keyof Operations, Planned[]>()
  const calls: FakeCall[] = []
  const tokens = new Set<string>()
  let logins = 0

  async function perform(call: FakeCall, request: TransportRequest): Promise<TransportAnswer> {
    const failure = planned.get(call.operation)?.shift()
    if (call.operation !== 'auth.login') calls.push(call)
    if (failure !== undefined) return failing(failure)
    if (call.operation === 'auth.login') {
      logins++
      const token = `fake-${logins}`
      tokens.add(token)
      return success({ token, timeout: 3_600_000 })
    }
    const token = request.headers['X-Http-Token'] ?? ''
    const isKnown = addresses[call.operation][2] === 'public' || tokens.has(token)
    if (!isKnown) throw new FakeRefusal('session.invalid', 'You are not logged in, or your session has ended.')
    if (call.operation === 'auth.logout') tokens.delete(token)
    const handler: FakeOperation | undefined = call.operation === 'auth.logout' ? () => ({}) : handlers[call.operation]
    if (handler === undefined)
      throw new FakeRefusal(
        'request.not_found',
        `The fake does not know ${call.operation}: say what it answers by answer().`,
      )
    const { callinfo = {}, members = {} } = await handler(call)
    return success({ token, ...callinfo }, members)
  }

  const transport: Transport = {
    async send(request) {
      request.signal.throwIfAborted()
      try {
        return await perform(readCall(request), request)
      } catch (error) {
        if (error instanceof FakeRefusal) return refusal(error)
        throw error
      }
    },
  }
  const login: Login = { lifetime: 'idle', isRepeatable: true, body: () => Promise.resolve({}) }

  return {
    transport,
    calls,
    get logins() {
      return logins
    },
    client: (options) => createClient({ url: 'https://fake.invalid', login, transport, firstDelayMs: 1, ...options }),
    fail(operation, failure, { times = 1, retryAfterSeconds } = {}) {
      const more = Array.from({ length: times }, () => ({ failure, retryAfterSeconds }))
      planned.set(operation, [...(planned.get(operation) ?? []), ...more])
    },
    answer: (operation, handler) => void (handlers[operation] = handler),
    endSessions: () => tokens.clear(),
  }
}

const routes = Object.entries(addresses).map(([operation, [method, template]]) => ({
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a key of the table
  operation: operation as keyof Operations,
  method,
  pattern: new RegExp(`/api/1\\.0${template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}))

function readCall({ method, url, body }: TransportRequest): FakeCall {
  const { pathname, searchParams } = new URL(url)
  for (const route of routes) {
    const match = route.method === method ? route.pattern.exec(pathname) : null
    if (match === null) continue
    const params = Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)])
    return {
      operation: route.operation,
      params: Object.fromEntries(params),
      query: Object.fromEntries(searchParams),
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client writes an object
      body: typeof body === 'string' ? (JSON.parse(body) as FakeCall['body']) : {},
    }
  }
  throw new FakeRefusal(
    'request.not_found',
    'There is no such address in this interface: /api/1.0/docs lists those there are.',
  )
}

function success(callinfo: object, members: object = {}): TransportAnswer {
  return answerOf(
    200,
    JSON.stringify({ CALLINFO: { status: 'SUCCESS', general: [], ...callinfo }, DATA: [], ...members }),
  )
}

function refusal(error: FakeRefusal, retryAfterSeconds?: number): TransportAnswer {
  const { number, status } = errorCatalogue[error.code]
  const envelope = {
    CALLINFO: { status: 'FAIL' },
    ERRORCODES: { [number]: error.message, 2000: '' },
    ERRORS: [error.message],
  }
  return answerOf(status, JSON.stringify(envelope), retryAfterSeconds)
}

function failing({ failure, retryAfterSeconds }: Planned): TransportAnswer {
  if (failure === 'network') throw new Error('The fake breaks this connection.')
  if (failure === 'cut')
    return { ...answerOf(200, ''), text: () => Promise.reject(new Error('The fake cuts this answer.')) }
  if (failure === 'html') return answerOf(502, '<html>Bad gateway</html>', retryAfterSeconds)
  return refusal(new FakeRefusal(failure, `The fake fails with ${failure}.`), retryAfterSeconds)
}

const answerOf = (status: number, text: string, retryAfterSeconds?: number): TransportAnswer => ({
  status,
  header: (name) => (name === 'retry-after' && retryAfterSeconds !== undefined ? String(retryAfterSeconds) : undefined),
  text: () => Promise.resolve(text),
})
