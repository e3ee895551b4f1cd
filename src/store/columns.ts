import type { EntitySchemaColumnOptions } from 'typeorm'

/**
 * Column types that read the same from SQLite and PostgreSQL: their native types for bytes differ, and PostgreSQL
 * returns 64-bit integers as text.
 */
const asText = {
  to: (bytes: Buffer | null | undefined) => bytes?.toString('base64') ?? bytes,
  from: (text: string | null) => (text === null ? null : Buffer.from(text, 'base64')),
}

const asNumber = {
  to: (value: unknown) => value,
  from: (value: string | number | null) => (value === null ? null : Number(value)),
}

/** A row number that the database assigns. */
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
/** Bytes, stored as base64 text. */
export const bytes: EntitySchemaColumnOptions = { type: 'text', transformer: asText }
/** Large bytes, stored as they are. The migration chooses the column type of each database. */
export const blob: EntitySchemaColumnOptions = { type: 'text' }

export const nullable = (column: EntitySchemaColumnOptions): EntitySchemaColumnOptions => ({
  ...column,
  nullable: true,
})
export const primary = (column: EntitySchemaColumnOptions): EntitySchemaColumnOptions => ({ ...column, primary: true })

/** Names the column in SQL where its name in the code is another. */
export const named = (name: string, column: EntitySchemaColumnOptions): EntitySchemaColumnOptions => ({
  ...column,
  name,
})
