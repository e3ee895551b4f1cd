import { Fault } from '../../fault.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import type { JsonObject } from '../contract/envelope.ts'
import { shownToken } from '../contract/http-token.ts'
import type { RequestContext } from '../pipeline/request-context.ts'
import { admitBody, type BodyLimits, type BodyBudgets } from './body-limits.ts'
import { createBodyBudget } from './body-budget.ts'
import { beginsLikeJson } from './body-start.ts'
import { hasBody, readBody, refuseEncoding } from './body.ts'
import { singleValues } from './members.ts'
import { isForm, readForm } from './upload.ts'

/** Limits in bytes. */
export interface BodySettings {
  readonly maxBodyBytes: number
  readonly maxFileBytes: number
  /** All bodies of unidentified callers together. */
  readonly maxUnidentifiedBytes: number
  /** All bodies of identified callers together; one caller may use half of it. */
  readonly maxIdentifiedBytes: number
}

/**
 * Reads the members of a call, not validated yet: those of its query or of its body. Notes in the request what was
 * sent, for the echo, the session token where it is among the members, and the memory of the body, which the caller has
 * to release. `identify` finds the user by a token in header, query or cookie.
 * @throws Fault `request.…` for a malformed call, `appliance.busy`, and what `identify` throws
 */
export type InputReader = (
  request: RequestContext,
  contract: AnyEndpoint,
  identify: () => Promise<number>,
) => Promise<JsonObject>

function budgetsOf({ maxUnidentifiedBytes, maxIdentifiedBytes }: BodySettings): BodyBudgets {
  return {
    unidentified: createBodyBudget({ totalBytes: maxUnidentifiedBytes, perSenderBytes: maxUnidentifiedBytes }),
    // Half, so that complete bodies of one user, which are not refused any more, leave room for those of others.
    identified: createBodyBudget({ totalBytes: maxIdentifiedBytes, perSenderBytes: maxIdentifiedBytes / 2 }),
  }
}

export function createInputReader(settings: BodySettings): InputReader {
  const { maxBodyBytes, maxFileBytes } = settings
  const budgets = budgetsOf(settings)

  async function readSent(request: RequestContext, contract: AnyEndpoint, limits: BodyLimits): Promise<JsonObject> {
    const { req } = request.koa
    const { upload } = contract
    if (upload !== undefined && isForm(req) && !(upload === 'optional' && (await beginsLikeJson(req, limits.held)))) {
      refuseEncoding(req)
      request.form = await readForm(req, { bodyLimits: limits, maxFileBytes })
      return request.form.fields
    }
    // A call that needs a form fails anyway: another body is parsed for the echo only.
    return upload === 'required' ? readBody(req, limits, contract).catch(() => ({})) : readBody(req, limits, contract)
  }

  return async (request, contract, identify) => {
    const { koa, envelope } = request
    const { querystring } = koa.request
    const query = noteQuery(request, querystring)
    if (contract.unechoed === 'all') delete envelope.suppliedToken
    let body: JsonObject = {}
    let isEchoed = true
    if (hasBody(koa.req)) {
      const incoming = {
        req: koa.req,
        address: request.client.address,
        hasToken: shownToken(envelope) !== undefined,
        isPublic: contract.access.kind === 'public',
      }
      const identifyBy = (token: string): Promise<number> => {
        noteToken(request, { token })
        return identify()
      }
      const limits = await admitBody(incoming, { maxBodyBytes, budgets, identify, identifyBy })
      request.held = limits.held
      body = await readSent(request, contract, limits)
      // The body of an unidentified caller is small and is released now; later steps have limits of their own.
      if (request.caller === undefined) request.held.release()
      else request.held.keep()
      isEchoed = limits.isEchoed
    }
    request.sent = { members: querystring === '' ? body : { ...query, ...body }, isEchoed }
    noteToken(request, body)
    if (contract.unechoed === 'all') delete envelope.suppliedToken
    if (contract.upload === 'required' && request.form?.file === undefined) throw new Fault('request.not_form')
    return contract.method === 'GET' || contract.method === 'LIST' ? query : body
  }
}

/**
 * Notes the members of a query for the echo, whatever happens with the body, and the session token where it is among
 * them.
 * @throws Fault `request.invalid`
 */
export function noteQuery(request: RequestContext, querystring: string): JsonObject {
  if (querystring === '') return {}
  const query = singleValues(querystring)
  noteToken(request, query)
  request.sent = { members: query, isEchoed: true }
  return query
}

/** Notes a token of the query or the body where none was noted before: see `SuppliedToken`. */
function noteToken(request: RequestContext, { token }: JsonObject): void {
  const { envelope } = request
  if (envelope.suppliedToken !== undefined || typeof token !== 'string' || token === '') return
  envelope.suppliedToken = token
  if (envelope.cookie === undefined) return
  // The cookie may have decided how large the body could be, but it does not decide who makes the call.
  delete envelope.cookie
  delete request.caller
  request.authenticationTried = false
}
