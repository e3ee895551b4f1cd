import type { z } from 'zod'
import type { Permission } from '../../access/permission.ts'
import type { FaultCode } from '../../fault.ts'
import {
  type AnyEndpoint,
  keyOperationOf,
  type Ownership,
  type PermissionSetting,
  type ServiceNeed,
} from './endpoint.ts'
import { shown, type Example, type Shown } from './example.ts'
import { faultCatalogue } from './faults.ts'
import { inputSchema, membersOf, outputSchema, type Schema } from './openapi-schemas.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: Schema
  readonly description?: string
  readonly example?: unknown
}

export interface Response {
  readonly description: string
  readonly content: Readonly<Record<string, { readonly schema: Schema } & Shown>>
  /** The numbers in ERRORCODES that its description lists. */
  readonly 'x-error-numbers'?: readonly number[]
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
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>
}

/** The ways to send a token. A member `token` of the body is another one, for clients that know no other. */
export const securitySchemes = {
  header: { type: 'apiKey', in: 'header', name: 'X-Http-Token', description: 'The session token; preferred.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same, as Authorization: Bearer.' },
  query: { type: 'apiKey', in: 'query', name: 'token', description: 'The session token, for older clients.' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-strongroom',
    description:
      'A session that was begun with `session` `cookie`. Taken only with `X-Strongroom-Console: 1` and the `Sec-Fetch-Site: same-origin` of a browser, and where no token comes another way.',
  },
}

/** Schemas that several operations refer to, by their ids. */
export type SharedSchemas = Record<string, Schema>

/** What the document contains of an operation besides its contract. */
export interface OperationNotes {
  readonly operationId: string
  readonly example: Example | undefined
  /** The example with `batch_input`. */
  readonly many: Example | undefined
  readonly shared: SharedSchemas
}

export function operationOf(contract: AnyEndpoint, { operationId, example, many, shared }: OperationNotes): Operation {
  const inQuery = contract.method === 'GET' || contract.method === 'LIST'
  const body = inputSchema(contract.body)
  return {
    operationId,
    tags: [tagOf(contract)],
    summary: contract.summary,
    description: [`${needsOf(contract)}${scopedUseWords(contract)}`, contract.details].filter(Boolean).join('\n\n'),
    security: contract.access.kind === 'public' ? [] : [{ header: [] }, { bearer: [] }, { query: [] }, { cookie: [] }],
    parameters: [...pathParameters(contract), ...(inQuery ? queryParameters(body) : [])].map((parameter) =>
      exemplified(parameter, example),
    ),
    ...(inQuery ? {} : requestBody(contract, body, [example, many])),
    responses: { [contract.success]: successOf(contract, shared, [example, many]), ...failuresOf(contract) },
  }
}

/** The first word of the operation's name, under which the document lists it. */
export function tagOf({ operation }: AnyEndpoint): string {
  return operation.split('.')[0] ?? ''
}

/** Who may make the call, as the pipeline checks it. */
function needsOf({ access, demanding = [] }: Pick<AnyEndpoint, 'access' | 'demanding'>): string {
  if (access.kind === 'public') return 'Anyone may call this.'
  const holder = access.kind === 'session' ? exceptionOf(access) : ''
  const capability =
    access.capability === undefined
      ? ''
      : ` The user needs the capability ${[access.capability].flat().join(' or ')}${holder}.`
  if (access.kind === 'session') return `Needs a session.${capability}${serviceWords(access)}`
  const forms = demanding.map(({ what, permission }) => ` ${what} needs ${permissionWords(permission)}.`)
  const into = access.into === undefined ? '' : ` The vault into which it goes needs ${access.into.permission}.`
  return `Needs a session of a member of the vault, with ${access.permission} or more.${into}${forms.join('')}${capability}`
}

/** Callers who need no capability. */
function exceptionOf({ self, owner }: { readonly self?: string; readonly owner?: Ownership }): string {
  if (self !== undefined) return ', for other users than oneself'
  if (owner === undefined) return ''
  return `, for ${owner.noun} of others${owner.reserved === undefined ? '' : ` and to give \`${owner.reserved}\``}`
}

function serviceWords({ service }: { readonly service?: ServiceNeed }): string {
  return service === undefined ? '' : ` A service account needs grants for ${service.operation} in one of its vaults.`
}

/** The requirement for a narrowed member. */
function scopedUseWords({ access, scopedUse }: AnyEndpoint): string {
  if (access.kind !== 'vault') return ''
  if (scopedUse === undefined) return ' A member whose rights are narrowed by grants is refused.'
  const uses = typeof scopedUse === 'function' ? scopedUse({}) : [scopedUse]
  const names = uses.map((use) => {
    const [subject, operation] = use.split('.')
    return subject === 'object' ? `${operation} (objects)` : operation
  })
  return ` A member whose rights are narrowed needs grants for ${names.join(' and ')}.`
}

function permissionWords(permission: Permission | PermissionSetting): string {
  return typeof permission === 'string'
    ? permission
    : `what the vault sets as \`${permission.setting}\`, ${permission.usual} in a new vault`
}

function pathParameters({ params }: AnyEndpoint): Parameter[] {
  return membersOf(inputSchema(params)).map(({ name, schema }) => ({
    ...described(name, schema),
    in: 'path',
    required: true,
  }))
}

/** OpenAPI has the description of a parameter beside its schema. */
function described(
  name: string,
  { description, ...schema }: Schema,
): Pick<Parameter, 'name' | 'schema' | 'description'> {
  return { name, schema, ...(typeof description === 'string' ? { description } : {}) }
}

function exemplified(parameter: Parameter, example: Example | undefined): Parameter {
  const { params = {}, members = {} } = example ?? {}
  const value = parameter.in === 'path' ? params[parameter.name] : members[parameter.name]
  return value === undefined ? parameter : { ...parameter, example: value }
}

const queryParameters = (body: Schema): Parameter[] =>
  membersOf(body).map(({ name, schema, required }) => ({ ...described(name, schema), in: 'query', required }))

function requestBody(
  { upload }: AnyEndpoint,
  body: Schema,
  [example, many]: readonly (Example | undefined)[],
): Pick<Operation, 'requestBody'> {
  const members = membersOf(body)
  if (members.length === 0 && upload === undefined) return {}
  const needed = members.filter(({ required }) => required).map(({ name }) => name)
  const file = {
    type: 'string',
    contentMediaType: 'application/octet-stream',
    description: 'One file; the name of its part does not matter.',
  }
  const form = {
    type: 'object',
    properties: { ...Object.fromEntries(members.map(({ name, schema }) => [name, schema])), file },
    ...(upload === 'required' ? { required: [...needed, 'file'] } : needed.length === 0 ? {} : { required: needed }),
  }
  const { members: sent = {}, file: sentFile } = example ?? {}
  const sentExample = example && sentFile === undefined ? shown(sent, many?.members) : {}
  const formExample = sentFile === undefined ? {} : { example: { ...sent, file: sentFile } }
  const content = {
    ...(upload === 'required' ? {} : { 'application/json': { schema: body, ...sentExample } }),
    ...(upload === undefined ? {} : { 'multipart/form-data': { schema: form, ...formExample } }),
  }
  return { requestBody: { required: upload === 'required' || needed.length > 0, content } }
}

const descriptions = {
  CALLINFO: 'What the call answers, beside the members of every answer.',
  DATA: 'What the call answers, beside what was sent.',
}

/** The schema of an object whose member `name` has this schema. */
const within = (name: keyof typeof descriptions, schema: Schema | undefined): Schema | undefined =>
  schema && { type: 'object', properties: { [name]: { description: descriptions[name], ...schema } } }

function successOf(
  { reply, document, success }: AnyEndpoint,
  shared: SharedSchemas,
  [example, many]: readonly (Example | undefined)[],
): Response {
  if (document !== undefined) return { description: 'The document.', content: { [document]: { schema: {} } } }
  const envelope = { $ref: '#/components/schemas/Envelope' }
  const { callinfo, data, members } = reply ?? {}
  const output = (schema: z.ZodType | undefined): Schema | undefined => schema && outputSchema(schema, shared)
  const more = [within('CALLINFO', output(callinfo)), within('DATA', output(data)), output(members)].filter(
    (schema) => schema !== undefined,
  )
  const schema = more.length === 0 ? envelope : { allOf: [envelope, ...more] }
  const answer = example === undefined ? {} : shown(example.answer, many?.answer)
  return { description: success === 201 ? 'Made.' : 'Done.', content: { 'application/json': { schema, ...answer } } }
}

/** The faults of a call of this contract that have numbers of their own. */
export function faultsOf(contract: AnyEndpoint): FaultCode[] {
  const { upload, method } = contract
  const takesBody = method !== 'GET' && method !== 'LIST'
  const takesAnything =
    membersOf(inputSchema(contract.body)).length + membersOf(inputSchema(contract.params)).length > 0
  return [
    ...new Set<FaultCode>([
      ...(takesAnything ? (['request.invalid'] as const) : []),
      ...(takesBody ? (['request.not_json', 'request.too_large'] as const) : []),
      ...(upload === undefined ? [] : (['request.not_form'] as const)),
      ...accessFaults(contract),
      ...(keyOperationOf(contract) === undefined ? [] : (['access.used_up'] as const)),
      ...(contract.quota === undefined ? [] : (['request.quota'] as const)),
      ...(contract.faults ?? []),
    ]),
  ]
}

function accessFaults({ access }: Pick<AnyEndpoint, 'access'>): FaultCode[] {
  if (access.kind === 'public')
    return [...(access.refusesToken ? (['request.invalid'] as const) : []), 'request.too_many']
  const capability: FaultCode[] = access.capability === undefined ? [] : ['access.capability']
  if (access.kind === 'session')
    return ['session.invalid', ...(access.service === undefined ? [] : (['access.permission'] as const)), ...capability]
  const missing = access.resource?.vaultOf?.missing ?? 'vault.not_found'
  const into: FaultCode[] = access.into === undefined ? [] : ['vault.not_found']
  return ['session.invalid', missing, ...into, 'access.resting', 'access.permission', ...capability]
}

function failuresOf(contract: AnyEndpoint): Operation['responses'] {
  const byStatus = new Map<number, FaultCode[]>()
  for (const code of faultsOf(contract)) {
    const { status } = faultCatalogue[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return {
    ...Object.fromEntries([...byStatus].map(([status, codes]) => [String(status), failureResponse(codes)])),
    default: { $ref: '#/components/responses/AnyFailure' },
  }
}

function failureResponse(codes: readonly FaultCode[], introduction: readonly string[] = []): Response {
  const rows = codes.map((code) => faultCatalogue[code])
  return {
    description: [...introduction, ...rows.map(({ number, text }) => `${number}: ${text}`)].join('\n\n'),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
    'x-error-numbers': rows.map(({ number }) => number),
  }
}

/** Faults of any call. The document lists them once. */
const anywhere: readonly FaultCode[] = [
  'session.cookie',
  'request.invalid',
  'request.not_json',
  'request.too_large',
  'request.not_found',
  'request.method',
  'request.expect',
  'request.length_required',
  'request.timeout',
  'request.encoding',
  'request.header_too_large',
  'request.uri_too_long',
  'request.plain_http',
  'certificate.forwarded',
  'hsm.unavailable',
  'hsm.sealed',
  'hsm.rejected',
  'hsm.seal_broken',
  'hsm.outdated',
  'store.unavailable',
  'store.conflict',
  'audit.unavailable',
  'appliance.stopping',
  'appliance.busy',
  'internal',
]

export const anyFailure = failureResponse(anywhere, ['What may go wrong with any call.'])
