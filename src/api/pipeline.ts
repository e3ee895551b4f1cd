import { randomUUID } from 'node:crypto'
import type { Context } from 'koa'
import type { Caller, Peer } from '../access/caller.ts'
import type { Shapes } from '../access/shapes.ts'
import type { AuditEvent, AuditTrail } from '../audit/event.ts'
import type { Clock } from '../clock.ts'
import { Fault } from '../fault.ts'
import type { Commit, Store, Tx } from '../store/store.ts'
import { authorize, placeNote, placeOf } from './authorization.ts'
import { hasBody, readBody } from './body.ts'
import type { AnyEndpoint, AuditNote, AuditPart } from './endpoint.ts'
import { failure, firstFrame, success, type Answer, type Frame, type JsonObject, type Reply } from './envelope.ts'
import type { Admission, Gate } from '../access/gate.ts'
import { faultCatalogue } from './faults.ts'
import { sayFarewell } from './farewell.ts'
import { singleValues } from './members.ts'
import type { Peers } from './peers.ts'
import { describeProblem } from './problem.ts'
import { isForm, readForm, type Form } from './upload.ts'

export interface PipelineDependencies {
  readonly gate: Gate
  readonly peers: Peers
  readonly audit: AuditTrail
  readonly store: Pick<Store, 'transaction' | 'read'>
  readonly clock: Clock
  readonly maxBodyBytes: number
  readonly maxFileBytes: number
  /** Told of every fault whose cause an operator should see. */
  readonly report: (requestId: string, fault: Fault) => void
  /** Told of what somebody should look at who never reads the trail. */
  readonly alarm: (event: AuditEvent) => void
}

/** One call on its way. */
interface Passage {
  readonly context: Context
  readonly frame: Frame
  readonly requestId: string
  readonly startedAt: number
  readonly startedTick: number
  readonly peer: Peer
  operation: string
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

export interface Pipeline {
  /** Serves a matched call from beginning to end. */
  serve(context: Context, contract: AnyEndpoint, params: Readonly<Record<string, string>>): Promise<void>
  /** Answers a call that matches nothing. */
  refuse(context: Context, fault: Fault): Promise<void>
}

/** The steps of a request, in order: see `docs/architecture.md`. */
export function createPipeline(dependencies: PipelineDependencies): Pipeline {
  return new RecordedPipeline(dependencies)
}

class RecordedPipeline implements Pipeline {
  readonly #in: PipelineDependencies

  constructor(dependencies: PipelineDependencies) {
    this.#in = dependencies
  }

  async serve(context: Context, contract: AnyEndpoint, params: Readonly<Record<string, string>>): Promise<void> {
    const passage = this.#begin(context, contract)
    await this.#conclude(passage, contract.success, async () => {
      this.#in.peers.refuseForged(context.req)
      const body = await this.#readMembers(passage, contract)
      const admission = await this.#admit(passage, contract, params, body)
      const call = {
        params: validate(contract.params, params),
        body: validate(contract.body, body),
        caller: admission?.caller,
        vault: admission?.vault,
        subject: admission?.subject,
        file: passage.form?.file,
        peer: passage.peer,
        note: (fields: AuditNote) => void (passage.note = { ...passage.note, ...fields }),
        record: (part: AuditPart) => this.#recordPart(passage, part),
        commit: this.#commitOf(passage),
        issue: (token: string, shapes: Shapes) => void Object.assign(passage.frame, { token, shapes }),
      }
      return contract.run(call)
    })
  }

  refuse(context: Context, fault: Fault): Promise<void> {
    return this.#conclude(this.#begin(context, undefined), 200, () => Promise.reject(fault))
  }

  #begin(context: Context, contract: AnyEndpoint | undefined): Passage {
    const passage: Passage = {
      context,
      frame: firstFrame(context.req.headers, contract?.handler),
      requestId: randomUUID(),
      startedAt: this.#in.clock.now(),
      startedTick: performance.now(),
      peer: this.#in.peers.of(context.req),
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

  /** Runs the steps, records the call, writes the envelope: nothing leaves before it is recorded. */
  async #conclude(passage: Passage, status: number, steps: () => Promise<Reply>): Promise<void> {
    let answer: Answer
    try {
      const reply = await steps()
      if (reply.sent) atEnd(passage, reply.sent)
      if (!passage.recorded) await this.#record(passage, 'allowed')
      answer = success(passage.frame, status, reply)
    } catch (error) {
      await this.#findCaller(passage)
      answer = failure(passage.frame, outward(await this.#recordFailure(passage, asFault(error))))
      passage.form?.abandon()
    }
    send(passage, answer)
  }

  async #readMembers(passage: Passage, contract: AnyEndpoint): Promise<JsonObject> {
    const { context, frame } = passage
    const query = context.querystring === '' ? {} : singleValues(new URLSearchParams(context.querystring))
    const body = await this.#readBody(passage, contract)
    frame.data = without({ ...query, ...body }, contract.unechoed)
    const elsewhere = body['token'] || query['token']
    if (frame.suppliedToken === undefined && typeof elsewhere === 'string') frame.suppliedToken = elsewhere
    return contract.method === 'GET' || contract.method === 'LIST' ? query : body
  }

  async #readBody(passage: Passage, { upload }: AnyEndpoint): Promise<JsonObject> {
    const { req } = passage.context
    const { maxBodyBytes: maxFieldBytes, maxFileBytes } = this.#in
    if (upload !== undefined && isForm(req)) {
      passage.form = await readForm(req, { maxFieldBytes, maxFileBytes })
      if (upload === 'required' && passage.form.file === undefined) throw new Fault('request.not_form')
      return passage.form.fields
    }
    if (upload === 'required') throw new Fault('request.not_form')
    return hasBody(req) ? readBody(req, maxFieldBytes) : {}
  }

  async #admit(
    passage: Passage,
    contract: AnyEndpoint,
    params: Readonly<Record<string, string>>,
    body: JsonObject,
  ): Promise<Admission | undefined> {
    const { frame } = passage
    if (contract.access.kind === 'public') return refuseToken(contract.access, frame)
    passage.note = placeNote(contract, params, body)
    if (frame.suppliedToken === undefined) throw new Fault('session.invalid')
    const admission = await this.#enter(passage, frame.suppliedToken, placeOf(contract, params, body))
    if (admission.vault) passage.note = { ...passage.note, vault: String(admission.vault.id) }
    authorize(contract, admission, body)
    passage.confirm = async (tx) => authorize(contract, await this.#in.gate.confirm(tx, admission), body)
    return admission
  }

  async #enter(passage: Passage, token: string, place: ReturnType<typeof placeOf> = {}): Promise<Admission> {
    passage.settled = true
    const admission = await this.#in.gate.admit({ token, address: passage.peer.address, ...place })
    passage.caller = admission.caller
    Object.assign(passage.frame, { token: admission.token, shapes: admission.caller.shapes })
    return admission
  }

  /** Whose call could not even be read is for the record to say, and the answer holds the token like any other. */
  async #findCaller(passage: Passage): Promise<void> {
    const { suppliedToken } = passage.frame
    if (passage.settled || suppliedToken === undefined) return
    // What the gate says against it is not what went wrong here.
    await this.#enter(passage, suppliedToken).catch(() => undefined)
  }

  /** Commits a change only while the caller may still make it, and once the record that says so is on the disk. */
  #commitOf(passage: Passage): Commit {
    return (work, options) =>
      this.#in.store.transaction(async (tx) => {
        await passage.confirm?.(tx)
        const result = await work(tx)
        await this.#record(passage, 'allowed')
        passage.recorded = true
        return result
      }, options)
  }

  #record(passage: Passage, outcome: string): Promise<void> {
    return this.#in.audit.append(eventOf(passage, outcome))
  }

  async #recordPart(passage: Passage, { operation, subject, isAlarm }: AuditPart): Promise<void> {
    await passage.confirm?.(this.#in.store.read)
    const event = { ...eventOf(passage, 'allowed'), operation, subject }
    if (isAlarm === true) this.#in.alarm(event)
    await this.#in.audit.append(event)
  }

  /** A refusal is recorded like any other call; when it cannot be, that is what the caller hears. */
  async #recordFailure(passage: Passage, fault: Fault): Promise<Fault> {
    if (fault.cause !== undefined || fault.code === 'internal' || isDiscreet(fault))
      this.#in.report(passage.requestId, fault)
    if (fault.code === 'audit.unavailable') return fault
    try {
      await this.#record(passage, fault.code)
      return fault
    } catch (error) {
      const unrecorded = asFault(error)
      this.#in.report(passage.requestId, unrecorded)
      return unrecorded
    }
  }
}

function refuseToken({ refusesToken }: { readonly refusesToken?: true }, { suppliedToken }: Frame): undefined {
  if (refusesToken && suppliedToken !== undefined)
    throw new Fault('request.invalid', 'This call takes no session token: leave it out.')
}

function without(members: JsonObject, names: readonly string[] = []): JsonObject {
  return names.length === 0
    ? members
    : Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)))
}

function validate(schema: AnyEndpoint['params'], value: unknown): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  // A second look, because any option keeps zod off its compiled path, at twenty times the cost for good calls.
  const { error = result.error } = schema.safeParse(value, { reportInput: true })
  throw new Fault('request.invalid', describeProblem(error))
}

function eventOf(passage: Passage, outcome: string): AuditEvent {
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

const isDiscreet = ({ code }: Fault): boolean => faultCatalogue[code].discreet === true

/** What the caller hears of a fault. */
function outward(fault: Fault): Fault {
  return isDiscreet(fault) ? new Fault(fault.code) : fault
}

function asFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault('internal', undefined, { cause: error })
}

function atEnd(passage: Passage, sent: () => void): void {
  if (passage.over) sent()
  else passage.sent = sent
}

function send({ context, requestId }: Passage, answer: Answer): void {
  context.status = answer.status
  context.set(answer.headers)
  context.set('X-Request-Id', requestId)
  const unread = hasBody(context.req) && !context.req.readableEnded
  context.body = answer.body
  if (unread) sayFarewell(context, answer.body)
}
