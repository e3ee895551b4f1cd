import type { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import { shownToken, type JsonObject } from '../contract/envelope.ts'
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

/** The header takes precedence, then the query, then the body. The cookie counts where none of them has a token. */
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

/** Makes the echo in DATA from the members of a call. No other function removes secrets. */
export type Echo = (request: RequestContext, echoed: Echoed) => Promise<JsonObject>

/** The part of a contract that determines the echo; for a call that matches no endpoint it is made from the path. */
export type Echoed = Pick<AnyEndpoint, 'unechoed'>

/** How long the names of secret members that were read for one call serve the unidentified calls after it. */
const namesKeptMs = 10_000

export function createEcho(clock: Clock): Echo {
  const kept = new Map<Echoed, { readonly at: number; readonly names: Promise<readonly string[]> }>()

  function namesOf(contract: Echoed, isIdentified: boolean, find: () => Promise<readonly string[]>) {
    const known = kept.get(contract)
    if (!isIdentified && known !== undefined && Math.abs(clock.now() - known.at) < namesKeptMs) return known.names
    const names = find()
    kept.set(contract, { at: clock.now(), names })
    return names
  }

  return async ({ sent, caller }, contract) => {
    const { unechoed = [] } = contract
    if (unechoed === 'all' || sent === undefined || (caller === undefined && !sent.isEchoed)) return {}
    const { members } = sent
    if (typeof unechoed !== 'function') return unechoed.length === 0 ? members : without(members, new Set(unechoed))
    // While the names cannot be read, every member counts as secret.
    const names = await namesOf(contract, caller !== undefined, unechoed).catch(() => Object.keys(members))
    return without(members, new Set(names))
  }
}

function without(members: object, names: ReadonlySet<string>): JsonObject {
  const echoed = Object.keys(members).filter((name) => !names.has(name))
  return Object.fromEntries(echoed.map((name) => [name, withoutInside(Reflect.get(members, name), names)]))
}

function withoutInside(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutInside(one, names))
  return typeof value === 'object' && value !== null ? without(value, names) : value
}

/** @throws Fault `request.invalid`, which names the first member that does not fit the contract */
export function validate(schema: AnyEndpoint['params'], value: unknown): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  // Parsed again with options only after a failure, because any option keeps zod off its compiled path, at twenty times
  // the cost.
  const { error = result.error } = schema.safeParse(value, { reportInput: true })
  throw new Fault('request.invalid', describeProblem(error))
}

/** A sentence that names the wrong member and says what is expected. */
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
      return `must have ${issue.maximum} ${partsOf(issue)} at most`
    case 'too_small':
      if (isNumber(issue)) return `must be ${issue.minimum} at least`
      return issue.minimum === 1 ? 'must not be empty' : `must have at least ${issue.minimum} ${partsOf(issue)}`
    case 'invalid_value':
      return `must be one of ${issue.values.filter((value) => value !== '').join(', ')}`
    default:
      // The other messages are written by the contracts, to follow the name of the member.
      return issue.message
  }
}

const isNumber = ({ origin }: { readonly origin: string }): boolean => origin === 'number' || origin === 'int'

/** The unit in which the length of a value is counted. */
const partsOf = ({ origin }: { readonly origin: string }): string => (origin === 'array' ? 'entries' : 'characters')

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}
