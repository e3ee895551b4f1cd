import { randomUUID } from 'node:crypto'
import type { Context } from 'koa'
import type { Caller, Client } from '../../access/caller.ts'
import type { AuditEvent } from '../../audit/event.ts'
import type { Reader } from '../../store/store.ts'
import { hasBody } from '../input/body.ts'
import type { AnyEndpoint, AuditNote } from '../contract/endpoint.ts'
import { createEnvelopeState, type Answer, type EnvelopeState } from '../contract/envelope.ts'
import { sayFarewell } from './unread-body.ts'
import type { Form } from '../input/upload.ts'

/** One call on its way. */
export interface RequestContext {
  readonly koa: Context
  readonly frame: EnvelopeState
  readonly requestId: string
  readonly startedAt: number
  readonly startedTick: number
  readonly client: Client
  readonly operation: string
  note: AuditNote
  caller?: Caller
  /** Checks again, at this moment, that the caller may make the call. */
  reauthorize?: (reader: Reader) => Promise<void>
  form?: Form
  /** Whether it is settled who calls: nobody need be asked for, or the gate has been. */
  settled: boolean
  /** Whether the audit record of this call is on the disk already, with the change that it speaks of. */
  recorded: boolean
  /** Whether the answer has left, or its connection is gone; and what waits for that. */
  over: boolean
  sent?: () => void
}

/** A call that has just come in; without a contract, one that matches nothing. `now` in milliseconds since 1970. */
export function createRequestContext(
  koa: Context,
  contract: AnyEndpoint | undefined,
  client: Client,
  now: number,
): RequestContext {
  const request: RequestContext = {
    koa,
    frame: createEnvelopeState(koa.req.headers, contract?.handler),
    requestId: randomUUID(),
    startedAt: now,
    startedTick: performance.now(),
    client,
    operation: contract?.operation ?? 'unmatched',
    note: {},
    settled: contract?.access.kind === 'public',
    recorded: false,
    over: false,
  }
  koa.res.once('close', () => {
    request.over = true
    request.sent?.()
  })
  return request
}

/** What the audit trail says of a call; `outcome` is `allowed` or the code of the fault. */
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
      applicationKeyId: caller.applicationKeyId,
    }),
    ...note,
    ms: Math.round((performance.now() - request.startedTick) * 1000) / 1000,
  }
}

/** Does `sent` when the answer has left, or nobody waits for it any more. */
export function atEnd(request: RequestContext, sent: () => void): void {
  if (request.over) sent()
  else request.sent = sent
}

export function send({ koa, requestId }: RequestContext, answer: Answer): void {
  koa.status = answer.status
  koa.set(answer.headers)
  koa.set('X-Request-Id', requestId)
  const unread = hasBody(koa.req) && !koa.req.readableEnded
  koa.body = answer.body
  if (unread) sayFarewell(koa, answer.body)
}
