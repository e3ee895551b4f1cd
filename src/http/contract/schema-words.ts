import { isSchema, membersOf, type Schema } from './openapi-schemas.ts'

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
