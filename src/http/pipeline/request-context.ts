import type { Permission } from '../../access/permission.ts'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from 'koa'
import type { Caller, Granted, Client } from '../../access/caller.ts'
import type { AuditEvent } from '../../audit/event.ts'
import type { Reader } from '../../store/store.ts'
import type { AnyEndpoint, AuditNote, AuditPart } from '../contract/endpoint.ts'
import { createEnvelopeState, type Answer, type EnvelopeState, type JsonObject } from '../contract/envelope.ts'
import { transportOf } from '../contract/call-transport.ts'
import { hasBody } from '../input/body.ts'
import type { HeldBody } from '../input/body-budget.ts'
import { callBytes } from '../input/call-size.ts'
import type { Form } from '../input/upload.ts'
import type { AnswerBudget } from './answer-budget.ts'
import { readCookie } from './session-cookie.ts'

/** The permission that the form of a call needs, and the name of the form. */
export interface Demand {
  readonly what: string
  readonly permission: Permission
  /** See `DemandingForm`. */
  readonly isScoped: boolean
}

/** The fields of the audit record that are known so far. */
export type Note = { -readonly [Field in keyof AuditNote]: AuditNote[Field] }

/** The state of one call. */
export interface RequestContext {
  readonly koa: Context
  readonly envelope: EnvelopeState
  readonly requestId: string
  readonly startedAt: number
  readonly startedTick: number
  readonly client: Client
  readonly operation: string
  note: Note
  /** Separate audit records for parts of the call's change. */
  parts: readonly AuditPart[]
  caller?: Caller
  /** The caller's grant, under which the keeper seals the changes of the call. */
  grant?: Granted['grant']
  /** The permissions that the form of the call needs beyond its contract's access. */
  demands: readonly Demand[]
  /** Checks again that the caller may make the call now. */
  reauthorize?: (reader: Reader) => Promise<void>
  form?: Form
  /** The memory of its body, to be released when the answer is made. */
  held?: HeldBody
  /** The members of query and body, and whether DATA repeats them even to an unidentified caller. */
  sent?: { readonly members: JsonObject; readonly isEchoed: boolean }
  /** Whether authentication was attempted; true from the start for a public call. */
  authenticationTried: boolean
  /** Whether the audit record is on the disk already, together with the change. */
  recorded: boolean
  /** Called when the answer has left or its connection is closed; undefined afterwards. */
  closing: (() => void)[] | undefined
}

/** The members of a contract that the context needs. */
type Called = Pick<AnyEndpoint, 'operation' | 'handler' | 'access'>

/**
 * The context of a new call; without a contract, of one that matches no endpoint. `now`: milliseconds since the Unix
 * epoch.
 */
export function createRequestContext(
  koa: Context,
  contract: Called | undefined,
  client: Client,
  now: number,
): RequestContext {
  const request: RequestContext = {
    koa,
    envelope: envelopeStateOf(koa.req, contract),
    requestId: randomUUID(),
    startedAt: now,
    startedTick: performance.now(),
    client,
    operation: contract?.operation ?? 'unmatched',
    note: {},
    parts: [],
    demands: [],
    authenticationTried: contract?.access.kind === 'public',
    recorded: false,
    closing: [],
  }
  koa.res.once('close', () => {
    const callbacks = request.closing ?? []
    request.closing = undefined
    for (const callback of callbacks) callback()
  })
  return request
}

/** The cookie is considered only where the call needs a session and no header has a token. */
function envelopeStateOf({ headers }: IncomingMessage, contract: Called | undefined): EnvelopeState {
  const envelope = createEnvelopeState(headers, contract?.handler)
  if (contract === undefined || contract.access.kind === 'public' || envelope.suppliedToken !== undefined)
    return envelope
  const cookie = readCookie(headers)
  if (cookie !== undefined) envelope.cookie = cookie
  return envelope
}

/** The audit record of a call. `outcome`: `allowed` or the code of the fault. */
export function eventOf(request: RequestContext, outcome: string): AuditEvent {
  const { caller, note } = request
  return {
    at: request.startedAt,
    operation: request.operation,
    requestId: request.requestId,
    outcome,
    address: request.client.address,
    ...(caller && {
      userId: caller.userId,
      username: caller.username,
      sessionId: caller.sessionId,
      applicationKeyId: caller.applicationKeyId ?? undefined,
    }),
    ...note,
    // Only the record of the change itself tells of rows.
    rows: undefined,
    ms: Math.round((performance.now() - request.startedTick) * 1000) / 1000,
  }
}

/** Calls back when the answer has left or its connection is closed. */
export function atClose({ closing }: RequestContext, callback: () => void): void {
  if (closing === undefined) callback()
  else closing.push(callback)
}

/** Sends the answer, or closes its transport where too many unsent bytes wait there. */
export function send(request: RequestContext, answer: Answer, budget: AnswerBudget): void {
  const { koa, requestId } = request
  const { body, rest = [] } = answer
  const bytes = rest.reduce((sum, { length }) => sum + length, body.length)
  const admitted = budget.admit(transportOf(koa.req), bytes + callBytes(koa.req))
  if (admitted === undefined) {
    koa.respond = false
    return refuseToSend(koa.req)
  }
  atClose(request, admitted.sent)
  const { response } = koa
  response.status = answer.status
  response.set(answer.headers)
  response.set('X-Request-Id', requestId)
  const isUnread = hasBody(koa.req) && !koa.req.readableEnded
  if (rest.length === 0 && !isUnread) {
    response.body = body
    return
  }
  const pieces = [Buffer.from(body), ...rest]
  response.body = Readable.from(pieces, { objectMode: false })
  if (isUnread) endAfterAnswer(koa, pieces)
  response.length = bytes
}

/**
 * RFC 9113, 7: "the endpoint detected that its peer is exhibiting a behavior that might be generating excessive load".
 */
const enhanceYourCalm = 0xb

function refuseToSend(req: IncomingMessage): void {
  if ('stream' in req) streamOf(req).close(enhanceYourCalm)
  else req.socket.destroy()
}

/**
 * How long a client may continue to send a body that is not read. If the connection were closed at once, the kernel
 * would reset it, and the client could lose the answer that gives the reason (RFC 9112, 9.6).
 */
const lingerMs = 1_000

/**
 * Answers a request whose body was not read to its end. The answer is sent at once, and the rest of the body is
 * discarded for a short time. Over HTTP/1.1 the connection then ends, since the rest would be parsed as the next
 * request.
 */
function endAfterAnswer(context: Context, answer: readonly Buffer[]): void {
  const { req } = context
  if ('stream' in req) return discard(req, streamOf(req))
  context.set('Connection', 'close')
  context.body = Readable.from(answerAndDiscard(req, answer), { objectMode: false })
}

function streamOf(req: IncomingMessage & { readonly stream: unknown }): ServerHttp2Stream {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what node:http2 gives Koa for a request
  return req.stream as ServerHttp2Stream
}

/** RFC 9113, 7: "the endpoint no longer needs the stream". */
const cancelled = 0x8

function discard(request: IncomingMessage, stream: ServerHttp2Stream): void {
  const timer = setTimeout(() => stream.close(cancelled), lingerMs)
  stream.once('close', () => clearTimeout(timer))
  request.resume()
}

async function* answerAndDiscard(request: IncomingMessage, answer: readonly Buffer[]): AsyncGenerator<Buffer> {
  const waiting = new AbortController()
  const { signal } = waiting
  const ends = ['end', 'close', 'error'].map((event) => once(request, event, { signal }))
  yield* answer
  request.resume()
  await Promise.race([...ends, sleep(lingerMs, undefined, { signal })]).catch(() => undefined)
  waiting.abort()
}
