import { describeInterface } from '../../src/http/contract/openapi.ts'
import type { Operation } from '../../src/http/contract/openapi-operation.ts'
import { isSchema, type Schema } from '../../src/http/contract/openapi-schemas.ts'
import { contracts } from './contracts.ts'

/** Arguments and answer of an operation, by the names that the clients use. */
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
  /** Whether the call can or must include a file. */
  readonly file: 'none' | 'optional' | 'required'
  readonly answer: Schema
}

/** Clients return only envelopes. Two operations answer without one: the OpenAPI document itself, and its page. */
export const hasEnvelope = ({ answer }: ClientOperation): boolean => '$ref' in answer || 'allOf' in answer

/**
 * The input of the generators of the clients' types: all operations of the OpenAPI document, and their common schemas.
 */
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

/**
 * Schema for a request. Ids are decimal text in answers, and in requests numbers as well. Flags in a query are text
 * only on the wire.
 */
function writable(schema: Schema): Schema {
  const { type, enum: values, pattern, ...rest } = schema
  if (JSON.stringify(values) === '["true","false"]')
    return { ...rest, anyOf: [{ type, enum: values }, { type: 'boolean' }] }
  const isId = type === 'string' && typeof pattern === 'string' && /^\^\[1-9]\\d\{0,14\}\$$/.test(pattern)
  return isId ? { ...rest, type: ['string', 'number'] } : schema
}

type Contents = Readonly<Record<string, { readonly schema: Schema }>>

/**
 * Schema of a body in a client, where a file is a separate argument: the members of JSON, or of the form without its
 * file. Types do not express which members go together (`oneOf`, `anyOf`).
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
