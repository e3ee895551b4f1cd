import { z } from 'zod'
import { maxNameLength } from '../field-values.ts'

export const objectParams = z.object({ objectid: z.string() })

const anId = 'must be an id: a whole number'

/** Published clients send ids as numbers and as texts. */
export const objectId = z
  .union([z.int().min(0).max(999_999_999_999_999), z.string().regex(/^(0|[1-9]\d{0,14})$/, anId)], anId)
  .transform(Number)

/** An empty name is none: the appliance then derives one. */
export const objectName = z
  .string()
  .regex(/^\P{Cc}*$/u, 'must not hold control characters')
  .trim()
  .max(maxNameLength, `must have ${maxNameLength} characters at most`)
  .transform((name) => name || undefined)

/** A flag of a query. */
export const queryFlag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true')
