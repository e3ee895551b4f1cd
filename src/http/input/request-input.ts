import { Fault } from '../../fault.ts'
import { hasBody, readBody } from './body.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import type { JsonObject } from '../contract/envelope.ts'
import { singleValues } from './members.ts'
import type { RequestContext } from '../pipeline/request-context.ts'
import { describeProblem } from './problem.ts'
import { isForm, readForm } from './upload.ts'

/** Bytes. */
export interface BodyLimits {
  readonly maxBodyBytes: number
  readonly maxFileBytes: number
}

/**
 * The members of a call, not checked yet: those of its query or of its body. Fills in what the answer echoes of them, and the session
 * token where it stands there.
 * @throws Fault of the form that a call has (`request.…`)
 */
export async function readMembers(
  request: RequestContext,
  contract: AnyEndpoint,
  limits: BodyLimits,
): Promise<JsonObject> {
  const { koa, frame } = request
  const query = koa.querystring === '' ? {} : singleValues(new URLSearchParams(koa.querystring))
  const body = await readSent(request, contract, limits)
  frame.data = without({ ...query, ...body }, contract.unechoed)
  const elsewhere = body['token'] || query['token']
  if (frame.suppliedToken === undefined && typeof elsewhere === 'string') frame.suppliedToken = elsewhere
  return contract.method === 'GET' || contract.method === 'LIST' ? query : body
}

async function readSent(
  request: RequestContext,
  { upload }: AnyEndpoint,
  { maxBodyBytes: maxFieldBytes, maxFileBytes }: BodyLimits,
): Promise<JsonObject> {
  const { req } = request.koa
  if (upload !== undefined && isForm(req)) {
    request.form = await readForm(req, { maxFieldBytes, maxFileBytes })
    if (upload === 'required' && request.form.file === undefined) throw new Fault('request.not_form')
    return request.form.fields
  }
  if (upload === 'required') throw new Fault('request.not_form')
  return hasBody(req) ? readBody(req, maxFieldBytes) : {}
}

function without(members: JsonObject, names: readonly string[] = []): JsonObject {
  return names.length === 0
    ? members
    : Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)))
}

/** @throws Fault `request.invalid`, which names the first member that is not as the contract says */
export function validate(schema: AnyEndpoint['params'], value: unknown): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  // A second look, because any option keeps zod off its compiled path, at twenty times the cost for good calls.
  const { error = result.error } = schema.safeParse(value, { reportInput: true })
  throw new Fault('request.invalid', describeProblem(error))
}
