import { z } from 'zod'

/** Flags arrive as JSON booleans, or as the text that forms can hold and answers carry. */
export const flag = z.union(
  [z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')],
  'must be true or false',
)
