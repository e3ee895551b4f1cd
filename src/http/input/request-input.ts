import type { z } from 'zod'
import { Fault } from '../../fault.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import type { JsonObject } from '../contract/envelope.ts'
import type { RequestContext } from '../pipeline/request-context.ts'
import { createBodyReader, hasBody, refuseEncoding } from './body.ts'
import { singleValues } from './members.ts'
import { isForm, readForm } from './upload.ts'

/** Bytes. */
export interface BodyLimits {
  readonly maxBodyBytes: number
  readonly maxFileBytes: number
}

/**
 * Reads the members of a call, which are not checked yet: those of its query or of its body. Notes what the answer
 * echoes of them, and the session token where it stands there.
 * @throws Fault of the form that a call has (`request.…`)
 */
export type InputReader = (request: RequestContext, contract: AnyEndpoint) => Promise<JsonObject>

export function createInputReader({ maxBodyBytes, maxFileBytes }: BodyLimits): InputReader {
  const readBody = createBodyReader(maxBodyBytes)

  async function readSent(request: RequestContext, { upload }: AnyEndpoint): Promise<JsonObject> {
    const { req } = request.koa
    if (upload !== undefined && isForm(req)) {
      refuseEncoding(req)
      request.form = await readForm(req, { maxFieldBytes: maxBodyBytes, maxFileBytes })
      return request.form.fields
    }
    if (!hasBody(req)) return {}
    // What else is sent to a call that needs a form is read for the echo alone.
    return upload === 'required' ? readBody(req).catch(() => ({})) : readBody(req)
  }

  return async (request, contract) => {
    const { koa, envelope } = request
    const query = koa.querystring === '' ? {} : singleValues(new URLSearchParams(koa.querystring))
    const body = await readSent(request, contract)
    envelope.data = await echoOf({ ...query, ...body }, contract)
    const elsewhere = body['token'] || query['token']
    if (envelope.suppliedToken === undefined && typeof elsewhere === 'string') envelope.suppliedToken = elsewhere
    if (contract.unechoed === 'all') delete envelope.suppliedToken
    if (contract.upload === 'required' && request.form?.file === undefined) throw new Fault('request.not_form')
    return contract.method === 'GET' || contract.method === 'LIST' ? query : body
  }
}

/** What DATA repeats of the members of a call: no other function leaves secrets out. */
async function echoOf(members: JsonObject, { unechoed = [] }: AnyEndpoint): Promise<JsonObject> {
  if (unechoed === 'all') return {}
  // While the names cannot be found, every member may be a secret.
  const names = typeof unechoed === 'function' ? await unechoed().catch(() => Object.keys(members)) : unechoed
  return names.length === 0 ? members : without(members, new Set(names))
}

function without(members: object, names: ReadonlySet<string>): JsonObject {
  const echoed = Object.entries(members).filter(([name]) => !names.has(name))
  return Object.fromEntries(echoed.map(([name, value]) => [name, withoutInside(value, names)]))
}

function withoutInside(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutInside(one, names))
  return typeof value === 'object' && value !== null ? without(value, names) : value
}

/** @throws Fault `request.invalid`, which names the first member that is not as the contract says */
export function validate(schema: AnyEndpoint['params'], value: unknown): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  // A second look, because any option keeps zod off its compiled path, at twenty times the cost for good calls.
  const { error = result.error } = schema.safeParse(value, { reportInput: true })
  throw new Fault('request.invalid', describeProblem(error))
}

/** One sentence that says which member of a call is wrong, and what is expected of it. */
function describeProblem(error: z.ZodError): string {
  const issue = error.issues[0]
  if (issue === undefined) return 'The call is not as the interface asks for it.'
  const member = issue.path.join('.') || 'The call'
  return `${member} ${expectationOf(issue)}.`
}

type Issue = z.core.$ZodIssue

function expectationOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${typeNames[issue.expected] ?? issue.expected}`
    case 'too_big':
      if (isNumber(issue)) return `must be ${issue.maximum} at most`
      return `must have ${issue.maximum} characters at most`
    case 'too_small':
      if (isNumber(issue)) return `must be ${issue.minimum} at least`
      return issue.minimum === 1 ? 'must not be empty' : `must have at least ${issue.minimum} characters`
    case 'invalid_value':
      return `must be one of ${issue.values.filter((value) => value !== '').join(', ')}`
    default:
      // The contracts word the rest themselves, to be read after the member's name.
      return issue.message
  }
}

const isNumber = ({ origin }: { readonly origin: string }): boolean => origin === 'number' || origin === 'int'

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}
