import { z } from 'zod'

/** A JSON Schema (draft 2020-12, as OpenAPI 3.1 has it). */
export type Schema = Readonly<Record<string, unknown>>

/** What a caller may send for a schema of a contract: before defaults and transformations. */
export function inputSchema(schema: z.ZodType): Schema {
  return plain(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
}

/**
 * What is sent for a schema of a reply. It forbids no other members: the envelope's are beside them, and later releases
 * add some.
 */
export function outputSchema(schema: z.ZodType): Schema {
  return plain(
    z.toJSONSchema(schema, {
      io: 'output',
      unrepresentable: 'any',
      override({ jsonSchema }) {
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      },
    }),
  )
}

function plain({ $schema: _dialect, ...schema }: Schema): Schema {
  return schema
}

export interface Member {
  readonly name: string
  readonly required: boolean
  readonly schema: Schema
}

/** The members of an object's schema, in their order. */
export function membersOf({ properties = {}, required = [] }: Schema): Member[] {
  const needed = Array.isArray(required) ? required : []
  return Object.entries(isSchema(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    required: needed.includes(name),
    schema: isSchema(schema) ? schema : {},
  }))
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const nouns: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  object: 'object',
}

/** What every text of a contract says: nothing that a reader needs to know. */
const noControls = '^\\P{Cc}*$'

/** A schema for people: "text, 128 characters at most". */
export function wordsFor(schema: Schema): string {
  const { pattern, description, default: preset } = schema
  return [
    kindOf(schema),
    lengthOf(schema),
    typeof pattern === 'string' && pattern !== noControls ? `matching ${pattern}` : '',
    preset === undefined || preset === '' ? '' : `${JSON.stringify(preset)} when absent`,
    typeof description === 'string' ? description.replace(/\.$/, '') : '',
  ]
    .filter(Boolean)
    .join(', ')
}

function lengthOf({ minLength, maxLength }: Schema): string {
  if (typeof minLength === 'number' && typeof maxLength === 'number') return `${minLength} to ${maxLength} characters`
  if (typeof minLength === 'number') return `${minLength} characters at least`
  return typeof maxLength === 'number' ? `${maxLength} characters at most` : ''
}

function kindOf(schema: Schema): string {
  const { type, enum: values, const: value, anyOf, items } = schema
  if (Array.isArray(values)) return `one of ${values.map(String).join(', ')}`
  if (value !== undefined) return typeof value === 'string' ? value : JSON.stringify(value)
  if (Array.isArray(anyOf)) return [...new Set(anyOf.filter(isSchema).map(wordsFor))].join(', or ')
  if (type === 'array') return `list of ${isSchema(items) ? wordsFor(items) : 'anything'}`
  const members = membersOf(schema)
  if (members.length === 0) return nouns[String(type)] ?? 'anything'
  return `object with ${members.map((member) => `${member.name} (${wordsFor(member.schema)})`).join(', ')}`
}

const text = { type: 'string' }
const flag = { type: 'integer', enum: [0, 1] }
const object = { type: 'object', additionalProperties: true }

const callinfo = {
  type: 'object',
  required: ['status', 'handler', 'errors', 'errorcodes', 'general'],
  properties: {
    status: { type: 'string', enum: ['SUCCESS', 'FAIL'] },
    handler: { ...text, description: 'Name of the handler that served the call.' },
    errors: { ...flag, description: '1 when ERRORS exists.' },
    errorcodes: { ...flag, description: '1 when ERRORCODES exists.' },
    general: { type: 'array', items: text, description: 'What else there is to say.' },
    token: { ...text, description: 'The session token for the next call; absent where there is no session.' },
  },
}

const envelope = {
  type: 'object',
  required: ['CALLINFO', 'DATA', 'HEADERS', 'PARAMS'],
  properties: {
    CALLINFO: { $ref: '#/components/schemas/Callinfo' },
    DATA: {
      anyOf: [object, { type: 'array', maxItems: 0 }],
      description: 'What was sent, and `token` as it was supplied; an empty array when that is nothing.',
    },
    HEADERS: { ...object, description: 'The headers of the request, but for credentials.' },
    PARAMS: { type: 'array', maxItems: 0, description: 'Always empty.' },
  },
}

const failure = {
  allOf: [{ $ref: '#/components/schemas/Envelope' }],
  type: 'object',
  required: ['ERRORCODES', 'ERRORS'],
  properties: {
    ERRORCODES: {
      type: 'object',
      additionalProperties: text,
      description: 'The number of what went wrong, and 2000; each with its text.',
    },
    ERRORS: { type: 'array', minItems: 1, items: text, description: 'What went wrong, for people.' },
  },
}

export const componentSchemas = { Callinfo: callinfo, Envelope: envelope, Failure: failure }
