import type { Context } from 'koa'
import type { Authenticator } from '../../access/authenticator.ts'
import type { DailyUse } from '../../access/daily-use.ts'
import type { Caller, ResponseVersion } from '../../access/caller.ts'
import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
import type { AnyEndpoint, AuditNote, AuditPart, QuotaKind, TokenCarrier } from '../contract/endpoint.ts'
import { failure, success, type Answer, type Reply } from '../contract/envelope.ts'
import { refuseTwoTokens, shownToken } from '../contract/http-token.ts'
import { createEcho, type Echoed } from '../input/echo.ts'
import { createInputReader, noteQuery, type BodySettings } from '../input/request-input.ts'
import { validate } from '../input/validation.ts'
import { createAuthorization, type Authorization, type Authorized } from './authorization.ts'
import { targetOfPath, type Params } from './call-target.ts'
import { countItems } from './daily-calls.ts'
import type { ClientIdentity } from './client-identity.ts'
import { callersAnswerLimits, createAnswerBudget, unidentifiedAnswerLimits } from './answer-budget.ts'
import { createRecording, type Recording, type RecordingDependencies } from './recording.ts'
import type { Quotas } from './quotas.ts'
import type { UnidentifiedCallLimit } from './unidentified-call-limit.ts'
import { refuseUnknownMembersIfStrict } from './strict-calls.ts'
import { atClose, createRequestContext, send, type RequestContext } from './request-context.ts'
import { isOwnPage, putCookie, takeAllBack, takeCookieBack } from './session-cookie.ts'

export interface PipelineDependencies extends RecordingDependencies, BodySettings {
  readonly authenticator: Authenticator
  readonly clientIdentity: ClientIdentity
  readonly unidentifiedCallLimit: UnidentifiedCallLimit
  readonly clock: Clock
  readonly quotas: Quotas
  readonly dailyUse: DailyUse
  /** Told of each answered call: its operation, `allowed` or the code of its fault, and its duration. */
  readonly count: (operation: string, outcome: string, milliseconds: number) => void
}

export interface Pipeline {
  /** Serves a matched call from beginning to end. */
  serve(context: Context, contract: AnyEndpoint, params: Params): Promise<void>
  /**
   * Answers a call that matches no endpoint. Its body is never read. Its query is read where `query` says what DATA
   * repeats.
   */
  refuse(context: Context, fault: Fault, query?: Echoed): Promise<void>
}

/** The steps of a request, in order: see `docs/architecture.md`. */
export function createPipeline(dependencies: PipelineDependencies): Pipeline {
  const { clientIdentity, clock, count, dailyUse, quotas, unidentifiedCallLimit } = dependencies
  const authorization = createAuthorization(dependencies.authenticator)
  const checkCallLimit = createCallLimitCheck(unidentifiedCallLimit, authorization)
  const recording = createRecording(dependencies)
  const readInput = createInputReader(dependencies)
  const echo = createEcho(clock)
  const answerWith = createAnswering(count)

  const begin = (context: Context, contract?: AnyEndpoint): RequestContext =>
    createRequestContext(context, contract, clientIdentity.of(context.req), clock.now())

  /** Runs the steps, records the call, writes the envelope: nothing is sent before it is recorded. */
  async function conclude(
    request: RequestContext,
    contract: AnyEndpoint | undefined,
    steps: () => Promise<Reply>,
    echoed: Echoed | undefined = contract,
  ): Promise<void> {
    const { envelope } = request
    const noteEcho = async (): Promise<void> => {
      if (echoed) envelope.data = await echo(request, echoed)
    }
    let ended: readonly [answer: Answer, outcome: string]
    try {
      const reply = await steps()
      if (reply.afterSend) atClose(request, reply.afterSend)
      await recording.allow(request)
      await noteEcho()
      if (reply.endsSession) takeAllBack(envelope)
      ended = [success(envelope, contract?.success ?? 200, reply), 'allowed']
    } catch (error) {
      await authorization.findCaller(request)
      const fault = await recording.refuse(request, error)
      await noteEcho()
      if (fault.code === 'session.invalid') takeCookieBack(envelope)
      ended = [failure(envelope, fault), fault.code]
      request.form?.abandon()
    }
    request.held?.release()
    answerWith(request, ...ended)
  }

  return {
    serve(context, contract, params) {
      const request = begin(context, contract)
      request.note = targetOfPath(params)
      return conclude(request, contract, async () => {
        await checkCallLimit(request, contract.access)
        refuseTwoTokens(request.envelope)
        clientIdentity.refuseForged(context.req)
        const body = await readInput(request, contract, () => authorization.identify(request))
        const authorized = await authorization.authorize(request, contract, params, body)
        const vaults = [authorized?.vault, authorized?.into]
        refuseUnknownMembersIfStrict(contract, vaults, params['name'], request.sent?.members ?? body)
        const call = {
          params: validate(contract.params, params),
          body: validate(contract.body, body),
          ...authorizedMembers(authorized),
          ...handlerTools(request, recording, quotas),
        }
        await authorization.checkForm(request, contract, call)
        if (call.vault?.scope) await countItems(dailyUse, contract, call)
        return withinQuota(quotas, contract, call, () => contract.run(call))
      })
    },

    refuse(context, fault, query) {
      const request = begin(context)
      return conclude(request, undefined, () => refuseUnmatched(request, fault, unidentifiedCallLimit, query), query)
    },
  }
}

/** Reads the query for the echo, unless the network has called too often; a bad query does not change the fault. */
function refuseUnmatched(
  request: RequestContext,
  fault: Fault,
  unidentifiedCallLimit: UnidentifiedCallLimit,
  query: Echoed | undefined,
): never {
  if (request.envelope.suppliedToken === undefined) unidentifiedCallLimit.check(request.client.address)
  try {
    if (query !== undefined) noteQuery(request, request.koa.request.querystring)
  } catch (error) {
    if (!isFault(error, 'request.invalid')) throw error
  }
  throw fault
}

/** The results of authorization that a handler gets; all undefined for a public call. */
function authorizedMembers(authorized: Authorized | undefined) {
  return {
    grant: authorized?.grant,
    caller: authorized?.caller,
    vault: authorized?.vault,
    into: authorized?.into,
    resource: authorized?.resource,
  }
}

/** The functions that a handler gets, bound to its request. */
function handlerTools(request: RequestContext, recording: Recording, quotas: Quotas) {
  return {
    file: request.form?.file,
    client: request.client,
    note: (fields: AuditNote) => void Object.assign(request.note, fields),
    record: (part: AuditPart) => recording.part(request, part),
    recordWithChange(part: AuditPart) {
      // A change that is made again notes its part again.
      request.parts = [...request.parts.filter(({ operation }) => operation !== part.operation), part]
    },
    commit: recording.commitOf(request),
    admit(kind: QuotaKind) {
      if (request.caller !== undefined) atClose(request, quotas.admit(kind, request.caller.userId))
    },
    refuseForeignPage() {
      if (!isOwnPage(request.koa.req.headers)) throw new Fault('session.cookie')
    },
    setToken(token: string, responseVersion: ResponseVersion, carrier: TokenCarrier) {
      request.envelope.responseVersion = responseVersion
      if (carrier === 'cookie') putCookie(request.envelope, token)
      else request.envelope.token = token
    },
  }
}

/** Sends and counts answers. Those to identified and to unidentified callers have separate memory budgets. */
function createAnswering(count: PipelineDependencies['count']) {
  const budgets = {
    unidentified: createAnswerBudget(unidentifiedAnswerLimits),
    callers: createAnswerBudget(callersAnswerLimits),
  }
  return (request: RequestContext, answer: Answer, outcome: string): void => {
    send(request, answer, request.caller === undefined ? budgets.unidentified : budgets.callers)
    count(request.operation, outcome, performance.now() - request.startedTick)
  }
}

/**
 * Counts the call under its quota: after authorization, so that only the caller's own quota is used, and after
 * validation, which is cheap.
 */
async function withinQuota(
  quotas: Quotas,
  { quota }: AnyEndpoint,
  call: { readonly body: unknown; readonly resource: unknown; readonly caller: Caller | undefined },
  work: () => Promise<Reply>,
): Promise<Reply> {
  const kind = typeof quota === 'function' ? quota(call) : quota
  if (kind === undefined || call.caller === undefined) return work()
  const end = quotas.admit(kind, call.caller.userId)
  try {
    return await work()
  } finally {
    end()
  }
}

/**
 * Runs before the body is read. Once an address has used up its calls without a session, only calls with a valid session
 * token in a header or cookie are served.
 */
function createCallLimitCheck(
  unidentifiedCallLimit: UnidentifiedCallLimit,
  authorization: Pick<Authorization, 'identify'>,
) {
  return async (request: RequestContext, { kind }: AnyEndpoint['access']): Promise<void> => {
    try {
      unidentifiedCallLimit.check(request.client.address)
    } catch (error) {
      if (kind === 'public' || shownToken(request.envelope) === undefined) throw error
      await authorization.identify(request).catch((reason: unknown) => {
        throw isFault(reason, 'session.invalid') ? error : reason
      })
    }
  }
}
