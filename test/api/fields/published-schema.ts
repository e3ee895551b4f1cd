import { isSchema, type Schema } from '../../../src/http/contract/openapi-schemas.ts'

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  object: isSchema,
  array: Array.isArray,
  null: (value) => value === null,
}

/**
 * Whether a schema of the published document allows a value. Supports those parts of JSON Schema that the document
 * uses.
 */
export function permits(schema: Schema, value: unknown): boolean {
  const { anyOf, type, enum: among, const: only, items } = schema
  if (Array.isArray(anyOf)) return anyOf.some((one: Schema) => permits(one, value))
  if (Array.isArray(among)) return among.includes(value)
  if (only !== undefined) return value === only
  if (typeof type === 'string' && kinds[type]?.(value) !== true) return false
  if (typeof value === 'string') return permitsText(schema, value)
  if (typeof value === 'number') return isWithin(schema['minimum'], value, schema['maximum'])
  if (!Array.isArray(value)) return true
  return (
    isWithin(schema['minItems'], value.length, schema['maxItems']) &&
    value.every((one) => !isSchema(items) || permits(items, one))
  )
}

function permitsText({ minLength, maxLength, pattern }: Schema, text: string): boolean {
  const fits = typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text)
  return fits && isWithin(minLength, Array.from(text).length, maxLength)
}

function isWithin(least: unknown = -Infinity, value: number, most: unknown = Infinity): boolean {
  return Number(least) <= value && value <= Number(most)
}
