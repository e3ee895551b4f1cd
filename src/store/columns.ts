import type { EntitySchemaColumnOptions } from 'typeorm'

/**
 * Columns that read the same from SQLite and PostgreSQL: their own types for bytes differ, and PostgreSQL hands out
 * 64-bit integers as text.
 */
const asText = {
  to: (bytes: Buffer | null | undefined) => bytes?.toString('base64') ?? bytes,
  from: (text: string | null) => (text === null ? null : Buffer.from(text, 'base64')),
}

const asNumber = {
  to: (value: unknown) => value,
  from: (value: string | number | null) => (value === null ? null : Number(value)),
}

/** A number that grows with each row. */
export const id: EntitySchemaColumnOptions = {
  type: 'bigint',
  primary: true,
  generated: 'increment',
  transformer: asNumber,
}
export const integer: EntitySchemaColumnOptions = { type: 'bigint', transformer: asNumber }
/** Milliseconds since the Unix epoch. */
export const time: EntitySchemaColumnOptions = integer
export const text: EntitySchemaColumnOptions = { type: 'text' }
/** Bytes, kept as base64 text. */
export const bytes: EntitySchemaColumnOptions = { type: 'text', transformer: asText }
/** Many bytes, kept as they are: the migration gives the column the type that each kind of store has for them. */
export const blob: EntitySchemaColumnOptions = { type: 'text' }

export const nullable = (column: EntitySchemaColumnOptions): EntitySchemaColumnOptions => ({
  ...column,
  nullable: true,
})
export const primary = (column: EntitySchemaColumnOptions): EntitySchemaColumnOptions => ({ ...column, primary: true })

/** Names the column where the wire of SQL wants another spelling than the code. */
export const named = (name: string, column: EntitySchemaColumnOptions): EntitySchemaColumnOptions => ({
  ...column,
  name,
})
