import { randomUUID } from 'node:crypto'
import type { Context } from 'koa'
import type { Caller, Peer } from '../access/caller.ts'
import type { AuditEvent } from '../audit/event.ts'
import type { Tx } from '../store/store.ts'
import { hasBody } from './body.ts'
import type { AnyEndpoint, AuditNote } from './endpoint.ts'
import { firstFrame, type Answer, type Frame } from './envelope.ts'
import { sayFarewell } from './farewell.ts'
import type { Form } from './upload.ts'

/** One call on its way. */
export interface Passage {
  readonly context: Context
  readonly frame: Frame
  readonly requestId: string
  readonly startedAt: number
  readonly startedTick: number
  readonly peer: Peer
  readonly operation: string
  note: AuditNote
  caller?: Caller
  /** Checks again, at this moment, that the caller may make the call. */
  confirm?: (tx: Tx) => Promise<void>
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
export function beginPassage(context: Context, contract: AnyEndpoint | undefined, peer: Peer, now: number): Passage {
  const passage: Passage = {
    context,
    frame: firstFrame(context.req.headers, contract?.handler),
    requestId: randomUUID(),
    startedAt: now,
    startedTick: performance.now(),
    peer,
    operation: contract?.operation ?? 'unmatched',
    note: {},
    settled: contract?.access.kind === 'public',
    recorded: false,
    over: false,
  }
  context.res.once('close', () => {
    passage.over = true
    passage.sent?.()
  })
  return passage
}

/** What the audit trail says of a call; `outcome` is `allowed` or the code of the fault. */
export function eventOf(passage: Passage, outcome: string): AuditEvent {
  const { caller, note } = passage
  return {
    at: passage.startedAt,
    operation: passage.operation,
    requestId: passage.requestId,
    outcome,
    address: passage.peer.address,
    ...(caller && {
      userId: caller.userId,
      username: caller.username,
      sessionId: caller.sessionId,
      applicationKeyId: caller.applicationKeyId,
    }),
    ...note,
    ms: Math.round((performance.now() - passage.startedTick) * 1000) / 1000,
  }
}

/** Does `sent` when the answer has left, or nobody waits for it any more. */
export function atEnd(passage: Passage, sent: () => void): void {
  if (passage.over) sent()
  else passage.sent = sent
}

export function send({ context, requestId }: Passage, answer: Answer): void {
  context.status = answer.status
  context.set(answer.headers)
  context.set('X-Request-Id', requestId)
  const unread = hasBody(context.req) && !context.req.readableEnded
  context.body = answer.body
  if (unread) sayFarewell(context, answer.body)
}
