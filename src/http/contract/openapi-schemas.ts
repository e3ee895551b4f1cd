import { z } from 'zod'

/** A JSON Schema (draft 2020-12, as OpenAPI 3.1 has it). */
export type Schema = Readonly<Record<string, unknown>>

/** The schema of what a caller may send: before defaults and transformations. */
export function inputSchema(schema: z.ZodType): Schema {
  return plain(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: tidy }))
}

/**
 * The schema of what a reply contains. It allows other members, since the envelope's stand beside them and later
 * releases add some. A schema with an id is put into `shared` once and referred to.
 */
export function outputSchema(schema: z.ZodType, shared: Record<string, Schema>): Schema {
  const written = z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any',
    override(context) {
      tidy(context)
      if (context.jsonSchema.additionalProperties === false) delete context.jsonSchema.additionalProperties
    },
  })
  const { $defs = {}, ...own } = inComponents(plain(written))
  if (isSchema($defs)) Object.assign(shared, $defs)
  return own
}

/** Removes redundant keywords: the pattern of a format, the range of all numbers, an id that is the name already. */
function tidy({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void {
  delete jsonSchema['id']
  if (jsonSchema['format'] === 'date-time') delete jsonSchema['pattern']
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum']
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum']
}

function plain({ $schema: _dialect, ...schema }: Schema): Schema {
  return schema
}

function inComponents(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'))
}

export interface Member {
  readonly name: string
  readonly required: boolean
  readonly schema: Schema
}

/** The members of an object's schema, in order. */
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

/** Words for patterns; empty for a pattern that needs none. */
const patternWords: Readonly<Record<string, string>> = {
  '^\\P{Cc}*$': '',
  '^\\d+$': 'digits',
  '^[1-9]\\d{0,14}$': 'digits',
  '^[1-9]\\d{0,8}$': 'digits',
}

/** A schema in words: "text, 128 characters at most". */
export function wordsFor(schema: Schema): string {
  const { pattern, default: preset, format, contentEncoding } = schema
  return [
    typeof contentEncoding === 'string' ? contentEncoding : typeof format === 'string' ? format : kindOf(schema),
    lengthOf(schema),
    rangeOf(schema),
    typeof pattern === 'string' ? (patternWords[pattern] ?? `matching ${pattern}`) : '',
    preset === undefined || preset === '' ? '' : `${JSON.stringify(preset)} when absent`,
  ]
    .filter(Boolean)
    .join(', ')
}

function rangeOf({ minimum, maximum, maxItems }: Schema): string {
  if (typeof maxItems === 'number') return `${maxItems} at most`
  if (typeof minimum === 'number' && typeof maximum === 'number') return `${minimum} to ${maximum}`
  return typeof minimum === 'number' && minimum !== 0 ? `${minimum} at least` : ''
}

function lengthOf({ minLength, maxLength }: Schema): string {
  if (typeof minLength === 'number' && typeof maxLength === 'number') return `${minLength} to ${maxLength} characters`
  if (typeof minLength === 'number') return `${minLength} characters at least`
  return typeof maxLength === 'number' ? `${maxLength} characters at most` : ''
}

function kindOf(schema: Schema): string {
  const { type, enum: values, const: value, anyOf, items, $ref } = schema
  if (typeof $ref === 'string') return $ref.split('/').at(-1) ?? ''
  if (Array.isArray(values)) return `one of ${values.map(String).join(', ')}`
  if (value !== undefined) return typeof value === 'string' ? value : JSON.stringify(value)
  if (Array.isArray(anyOf)) return [...new Set(anyOf.filter(isSchema).map(wordsFor))].join(', or ')
  if (type === 'array') return `list of ${isSchema(items) ? wordsFor(items) : 'anything'}`
  return nouns[String(type)] ?? 'anything'
}

const text = { type: 'string' }
const flag = { type: 'integer', enum: [0, 1] }
const object = { type: 'object', additionalProperties: true }

const callinfo = {
  description: 'What became of the call.',
  type: 'object',
  required: ['status', 'handler', 'errors', 'errorcodes', 'general'],
  properties: {
    status: { type: 'string', enum: ['SUCCESS', 'FAIL'], description: 'Whether the call did what it was to do.' },
    handler: { ...text, description: 'Name of the handler that served the call.' },
    errors: { ...flag, description: 'Whether ERRORS exists: 1 or 0.' },
    errorcodes: { ...flag, description: 'Whether ERRORCODES exists: 1 or 0.' },
    general: {
      type: 'array',
      items: text,
      description: 'What else there is to say, in sentences for people; mostly empty.',
    },
    token: { ...text, description: 'The session token for the next call; absent where there is no session.' },
  },
}

const envelope = {
  description: 'What every answer holds.',
  type: 'object',
  required: ['CALLINFO', 'DATA', 'HEADERS', 'PARAMS'],
  properties: {
    CALLINFO: { $ref: '#/components/schemas/Callinfo' },
    DATA: {
      anyOf: [object, { type: 'array', maxItems: 0 }],
      description: 'What was sent, and `token` as it was supplied; an empty array when that is nothing.',
    },
    HEADERS: { ...object, description: 'The headers of the request, except credentials.' },
    PARAMS: { type: 'array', maxItems: 0, description: 'Always empty.' },
  },
}

const failure = {
  description: 'The answer of a call that failed.',
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
