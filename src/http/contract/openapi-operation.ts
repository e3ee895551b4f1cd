import type { z } from 'zod'
import type { FaultCode } from '../../fault.ts'
import { vaultParameter, type Access, type AnyEndpoint } from './endpoint.ts'
import { faultCatalogue } from './faults.ts'
import { inputSchema, membersOf, outputSchema, type Schema } from './openapi-schemas.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: Schema
  readonly description?: string
}

export interface Response {
  readonly description: string
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>
}

/** One operation of an OpenAPI document. */
export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Response['content'] }
  readonly responses: Readonly<Record<string, Response>>
}

/** How a token may be handed over; a member `token` of the body is a third way, for clients that know no other. */
export const securitySchemes = {
  header: { type: 'apiKey', in: 'header', name: 'X-Http-Token', description: 'The session token; preferred.' },
  query: { type: 'apiKey', in: 'query', name: 'token', description: 'The session token, for older clients.' },
}

export function operationOf(contract: AnyEndpoint, operationId: string): Operation {
  const inQuery = contract.method === 'GET' || contract.method === 'LIST'
  const body = inputSchema(contract.body)
  return {
    operationId,
    tags: [tagOf(contract)],
    summary: contract.summary,
    description: needsOf(contract.access),
    security: contract.access.kind === 'public' ? [] : [{ header: [] }, { query: [] }],
    parameters: [...pathParameters(contract), ...(inQuery ? queryParameters(body) : [])],
    ...(inQuery ? {} : requestBody(contract, body)),
    responses: { [contract.success]: successOf(contract), ...failuresOf(contract) },
  }
}

/** The first word of its name: what an operation is listed under. */
export function tagOf({ operation }: AnyEndpoint): string {
  return operation.split('.')[0] ?? ''
}

function needsOf(access: Access<unknown>): string {
  if (access.kind === 'public') return 'Anybody may call this.'
  const capability =
    access.capability === undefined ? '' : ` The user needs the capability ${[access.capability].flat().join(' or ')}.`
  return access.kind === 'session'
    ? `Needs a session.${capability}`
    : `Needs a session of a member of the vault, with ${access.permission} or more.${capability}`
}

const pathWords: Readonly<Record<string, string>> = {
  [vaultParameter]: 'Id of the vault, decimal.',
  name: 'Name of the key.',
  version: 'Version of the key, from 1.',
  userid: 'Id of the user, decimal.',
}

function pathParameters({ params }: AnyEndpoint): Parameter[] {
  return membersOf(inputSchema(params)).map(({ name, schema }) => ({
    name,
    in: 'path',
    required: true,
    schema,
    ...(pathWords[name] === undefined ? {} : { description: pathWords[name] }),
  }))
}

const queryParameters = (body: Schema): Parameter[] => membersOf(body).map((member) => ({ ...member, in: 'query' }))

function requestBody({ upload }: AnyEndpoint, body: Schema): Pick<Operation, 'requestBody'> {
  const members = membersOf(body)
  if (members.length === 0 && upload === undefined) return {}
  const file = {
    type: 'string',
    contentMediaType: 'application/octet-stream',
    description: 'One file; the name of its part does not matter.',
  }
  const form = {
    type: 'object',
    properties: { ...Object.fromEntries(members.map(({ name, schema }) => [name, schema])), file },
    ...(upload === 'required' ? { required: ['file'] } : {}),
  }
  const content = {
    ...(upload === 'required' ? {} : { 'application/json': { schema: body } }),
    ...(upload === undefined ? {} : { 'multipart/form-data': { schema: form } }),
  }
  return { requestBody: { required: upload === 'required' || members.some(({ required }) => required), content } }
}

/** The schema of an object whose member `name` is this. */
const within = (name: string, schema: z.ZodType | undefined): Schema | undefined =>
  schema && { type: 'object', properties: { [name]: outputSchema(schema) } }

function successOf({ reply, document }: AnyEndpoint): Response {
  if (document !== undefined) return { description: 'The document.', content: { [document]: { schema: {} } } }
  const envelope = { $ref: '#/components/schemas/Envelope' }
  const { callinfo, data, members } = reply ?? {}
  const more = [within('CALLINFO', callinfo), within('DATA', data), members && outputSchema(members)].filter(
    (schema) => schema !== undefined,
  )
  const schema = more.length === 0 ? envelope : { allOf: [envelope, ...more] }
  return { description: 'Done.', content: { 'application/json': { schema } } }
}

/** What may go wrong with a call of this contract, and is told by a number of its own. */
export function faultsOf(contract: AnyEndpoint): FaultCode[] {
  const { access, upload, method } = contract
  const takesBody = method !== 'GET' && method !== 'LIST'
  const takesAnything =
    membersOf(inputSchema(contract.body)).length + membersOf(inputSchema(contract.params)).length > 0
  return [
    ...new Set<FaultCode>([
      ...(takesAnything ? (['request.invalid'] as const) : []),
      ...(takesBody ? (['request.not_json', 'request.too_large'] as const) : []),
      ...(upload === undefined ? [] : (['request.not_form'] as const)),
      ...accessFaults(access),
      ...(contract.quota === undefined ? [] : (['request.quota'] as const)),
      ...(contract.faults ?? []),
    ]),
  ]
}

function accessFaults(access: Access<unknown>): FaultCode[] {
  if (access.kind === 'public') return []
  const capability: FaultCode[] = access.capability === undefined ? [] : ['access.capability']
  if (access.kind === 'session') return ['session.invalid', ...capability]
  const missing = access.resource?.vaultOf?.missing ?? 'vault.not_found'
  return [
    'session.invalid',
    missing,
    ...(access.permission === 'Read' ? [] : (['access.permission'] as const)),
    ...capability,
  ]
}

function failuresOf(contract: AnyEndpoint): Record<string, Response> {
  const lines = new Map<number, string[]>()
  for (const { status, number, text } of faultsOf(contract).map((code) => faultCatalogue[code]))
    lines.set(status, [...(lines.get(status) ?? []), `${number}: ${text}`])
  return {
    ...Object.fromEntries([...lines].map(([status, texts]) => [String(status), failureResponse(texts.join('\n\n'))])),
    default: failureResponse('Any other failure; the number in ERRORCODES says which.'),
  }
}

const failureResponse = (description: string): Response => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
})
