import { describeInterface } from '../../src/http/contract/openapi.ts'
import type { Operation } from '../../src/http/contract/openapi-operation.ts'
import { isSchema, type Schema } from '../../src/http/contract/openapi-schemas.ts'
import { contracts } from './contracts.ts'

/** What one call takes, as the clients name it, and its whole answer. */
export interface ClientOperation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly isPublic: boolean
  readonly summary: string
  readonly description: string
  readonly params: Schema | undefined
  readonly query: Schema | undefined
  readonly body: Schema | undefined
  /** Whether a file can go with it, and whether it must. */
  readonly file: 'none' | 'optional' | 'required'
  readonly answer: Schema
}

/** Clients return envelopes alone. Two operations answer none: the document itself, and its page. */
export const hasEnvelope = ({ answer }: ClientOperation): boolean => '$ref' in answer || 'allOf' in answer

/** What the generators of the clients' types read: every operation of the OpenAPI document, and the schemas that they share. */
export function clientOperations(): {
  operations: readonly ClientOperation[]
  schemas: Readonly<Record<string, Schema>>
} {
  const { paths, components } = describeInterface(contracts)
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => clientOperation(path, method.toUpperCase(), operation)),
  )
  return { operations, schemas: components['schemas'] ?? {} }
}

function clientOperation(path: string, method: string, operation: Operation): ClientOperation {
  const { operationId, summary, description, security, parameters, requestBody, responses } = operation
  const of = (place: string): Schema | undefined => {
    const members = parameters.filter((parameter) => parameter.in === place)
    if (members.length === 0) return undefined
    return strictObject(
      Object.fromEntries(members.map(({ name, schema, description }) => [name, { ...writable(schema), description }])),
      members.filter(({ required }) => required).map(({ name }) => name),
    )
  }
  const [success] = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const response = success?.[1]
  const content = response === undefined || !('content' in response) ? {} : Object.values(response.content)[0]?.schema
  return {
    name: operationId,
    method,
    path,
    isPublic: security.length === 0,
    summary,
    description,
    params: of('path'),
    query: of('query'),
    body: requestBody === undefined ? undefined : bodyOf(requestBody.content),
    file: fileOf(requestBody?.content ?? {}),
    answer: content ?? {},
  }
}

/** Ids are decimal text in answers, and numbers as well in requests; flags of a query are text on the wire alone. */
function writable(schema: Schema): Schema {
  const { type, enum: values, pattern, ...rest } = schema
  if (JSON.stringify(values) === '["true","false"]')
    return { ...rest, anyOf: [{ type, enum: values }, { type: 'boolean' }] }
  const isId = type === 'string' && typeof pattern === 'string' && /^\^\[1-9]\\d\{0,14\}\$$/.test(pattern)
  return isId ? { ...rest, type: ['string', 'number'] } : schema
}

type Contents = Readonly<Record<string, { readonly schema: Schema }>>

/**
 * A file goes beside the body in the client, whose members are those of JSON, or of the form without its file. Which members
 * go together (`oneOf`, `anyOf`) no type says.
 */
function bodyOf(content: Contents): Schema {
  const json = content['application/json']?.schema
  const { oneOf: _oneForm, anyOf: _forms, ...schema } = json ?? content['multipart/form-data']?.schema ?? {}
  const { properties } = schema
  if (!isSchema(properties) || json !== undefined) return schema
  const { file: _file, ...fields } = properties
  return { ...schema, properties: fields, required: [] }
}

function fileOf(content: Contents): ClientOperation['file'] {
  if (content['multipart/form-data'] === undefined) return 'none'
  return content['application/json'] === undefined ? 'required' : 'optional'
}

export const strictObject = (
  properties: Readonly<Record<string, unknown>>,
  required = Object.keys(properties),
): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
