import type { Context } from 'koa'
import type { Admission, Gate } from '../access/gate.ts'
import type { Shapes } from '../access/shapes.ts'
import type { Clock } from '../clock.ts'
import { Fault } from '../fault.ts'
import { authorize, placeNote, placeOf } from './authorization.ts'
import { readMembers, validate, type BodyLimits } from './call-members.ts'
import type { AnyEndpoint, AuditNote, AuditPart } from './endpoint.ts'
import { failure, success, type Answer, type Frame, type JsonObject, type Reply } from './envelope.ts'
import { atEnd, beginPassage, send, type Passage } from './passage.ts'
import type { Peers } from './peers.ts'
import { createRecording, type Recording, type RecordingDependencies } from './recording.ts'

export interface PipelineDependencies extends RecordingDependencies, BodyLimits {
  readonly gate: Gate
  readonly peers: Peers
  readonly clock: Clock
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
  readonly #recording: Recording

  constructor(dependencies: PipelineDependencies) {
    this.#in = dependencies
    this.#recording = createRecording(dependencies)
  }

  async serve(context: Context, contract: AnyEndpoint, params: Readonly<Record<string, string>>): Promise<void> {
    const passage = this.#begin(context, contract)
    await this.#conclude(passage, contract.success, async () => {
      this.#in.peers.refuseForged(context.req)
      const body = await readMembers(passage, contract, this.#in)
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
        record: (part: AuditPart) => this.#recording.part(passage, part),
        commit: this.#recording.commitOf(passage),
        issue: (token: string, shapes: Shapes) => void Object.assign(passage.frame, { token, shapes }),
      }
      return contract.run(call)
    })
  }

  refuse(context: Context, fault: Fault): Promise<void> {
    return this.#conclude(this.#begin(context, undefined), 200, () => Promise.reject(fault))
  }

  #begin(context: Context, contract: AnyEndpoint | undefined): Passage {
    return beginPassage(context, contract, this.#in.peers.of(context.req), this.#in.clock.now())
  }

  /** Runs the steps, records the call, writes the envelope: nothing leaves before it is recorded. */
  async #conclude(passage: Passage, status: number, steps: () => Promise<Reply>): Promise<void> {
    let answer: Answer
    try {
      const reply = await steps()
      if (reply.sent) atEnd(passage, reply.sent)
      await this.#recording.allow(passage)
      answer = success(passage.frame, status, reply)
    } catch (error) {
      await this.#findCaller(passage)
      answer = failure(passage.frame, await this.#recording.refuse(passage, error))
      passage.form?.abandon()
    }
    send(passage, answer)
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
}

function refuseToken({ refusesToken }: { readonly refusesToken?: true }, { suppliedToken }: Frame): undefined {
  if (refusesToken && suppliedToken !== undefined)
    throw new Fault('request.invalid', 'This call takes no session token: leave it out.')
}
