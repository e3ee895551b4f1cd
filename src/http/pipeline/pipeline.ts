import type { Context } from 'koa'
import type { Authentication, Authenticator } from '../../access/authenticator.ts'
import type { ResponseVersion } from '../../access/response-version.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import { authorize, resourceNote, resourceOf } from './authorization.ts'
import { readMembers, validate, type BodyLimits } from '../input/request-input.ts'
import type { AnyEndpoint, AuditNote, AuditPart } from '../contract/endpoint.ts'
import { failure, success, type Answer, type EnvelopeState, type JsonObject, type Reply } from '../contract/envelope.ts'
import { atEnd, createRequestContext, send, type RequestContext } from './request-context.ts'
import type { ClientIdentity } from './client-identity.ts'
import { createRecording, type Recording, type RecordingDependencies } from './recording.ts'

export interface PipelineDependencies extends RecordingDependencies, BodyLimits {
  readonly authenticator: Authenticator
  readonly clientIdentity: ClientIdentity
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
    const request = this.#begin(context, contract)
    await this.#conclude(request, contract.success, async () => {
      this.#in.clientIdentity.refuseForged(context.req)
      const body = await readMembers(request, contract, this.#in)
      const authentication = await this.#authenticate(request, contract, params, body)
      const call = {
        params: validate(contract.params, params),
        body: validate(contract.body, body),
        caller: authentication?.caller,
        vault: authentication?.vault,
        resource: authentication?.resource,
        file: request.form?.file,
        client: request.client,
        note: (fields: AuditNote) => void (request.note = { ...request.note, ...fields }),
        record: (part: AuditPart) => this.#recording.part(request, part),
        commit: this.#recording.commitOf(request),
        issue: (token: string, shapes: ResponseVersion) => void Object.assign(request.frame, { token, shapes }),
      }
      return contract.run(call)
    })
  }

  refuse(context: Context, fault: Fault): Promise<void> {
    return this.#conclude(this.#begin(context, undefined), 200, () => Promise.reject(fault))
  }

  #begin(context: Context, contract: AnyEndpoint | undefined): RequestContext {
    return createRequestContext(context, contract, this.#in.clientIdentity.of(context.req), this.#in.clock.now())
  }

  /** Runs the steps, records the call, writes the envelope: nothing leaves before it is recorded. */
  async #conclude(request: RequestContext, status: number, steps: () => Promise<Reply>): Promise<void> {
    let answer: Answer
    try {
      const reply = await steps()
      if (reply.sent) atEnd(request, reply.sent)
      await this.#recording.allow(request)
      answer = success(request.frame, status, reply)
    } catch (error) {
      await this.#findCaller(request)
      answer = failure(request.frame, await this.#recording.refuse(request, error))
      request.form?.abandon()
    }
    send(request, answer)
  }

  async #authenticate(
    request: RequestContext,
    contract: AnyEndpoint,
    params: Readonly<Record<string, string>>,
    body: JsonObject,
  ): Promise<Authentication | undefined> {
    const { frame } = request
    if (contract.access.kind === 'public') return refuseToken(contract.access, frame)
    request.note = resourceNote(contract, params, body)
    if (frame.suppliedToken === undefined) throw new Fault('session.invalid')
    const authentication = await this.#identify(request, frame.suppliedToken, resourceOf(contract, params, body))
    if (authentication.vault) request.note = { ...request.note, vault: String(authentication.vault.id) }
    authorize(contract, authentication, body)
    request.reauthorize = async (reader) =>
      authorize(contract, await this.#in.authenticator.reauthorize(reader, authentication), body)
    return authentication
  }

  async #identify(
    request: RequestContext,
    token: string,
    place: ReturnType<typeof resourceOf> = {},
  ): Promise<Authentication> {
    request.settled = true
    const authentication = await this.#in.authenticator.authenticate({
      token,
      address: request.client.address,
      ...place,
    })
    request.caller = authentication.caller
    Object.assign(request.frame, { token: authentication.token, shapes: authentication.caller.responseVersion })
    return authentication
  }

  /** Whose call could not even be read is for the record to say, and the answer holds the token like any other. */
  async #findCaller(request: RequestContext): Promise<void> {
    const { suppliedToken } = request.frame
    if (request.settled || suppliedToken === undefined) return
    // What the gate says against it is not what went wrong here.
    await this.#identify(request, suppliedToken).catch(() => undefined)
  }
}

function refuseToken({ refusesToken }: { readonly refusesToken?: true }, { suppliedToken }: EnvelopeState): undefined {
  if (refusesToken && suppliedToken !== undefined)
    throw new Fault('request.invalid', 'This call takes no session token: leave it out.')
}
