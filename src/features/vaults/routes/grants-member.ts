import { z } from 'zod'
import { grantLimits, keyOperations, objectOperations, type Scope, writeGrants } from '../../../access/scope.ts'

const { entries, pattern, stars, aadBytes, daily } = grantLimits

const keyEntry = z
  .strictObject(
    {
      keys: z
        .string()
        .max(pattern, `must have ${pattern} characters at most`)
        .describe(
          `Which keys: a name, in which each * stands for any number of characters. 1 to ${pattern} letters, digits and _ . - and *, of which ${stars} at most.`,
        ),
      operations: z
        .array(z.enum(keyOperations))
        .describe('What may be done with them. read: their public part and metadata, and their place in lists.'),
      aad: z
        .string()
        .optional()
        .describe(`Base64 of 1 to ${aadBytes} bytes with which the additional data (aad) of each item have to begin.`),
      daily: z.int().optional().describe(`Items a day (UTC) at most, 1 to ${daily}; absent for any number.`),
      strict: z
        .boolean()
        .optional()
        .describe('Whether calls by this entry that have a member which the interface does not know are refused.'),
    },
    'must have no members but keys, operations, aad, daily and strict',
  )
  .describe('What may be done with keys.')

const objectEntry = z
  .strictObject(
    {
      objects: z
        .array(z.enum(objectOperations))
        .describe(
          'What may be done: `list` find objects and list them, with their open fields; `read` read one without its secrets; `decrypt` its encrypted fields and its file.',
        ),
    },
    'must have no members but objects',
  )
  .describe('What may be done with the objects of the vault.')

/** Grants as answers write them. */
export const grantsSchema = z.array(
  z.union([keyEntry, objectEntry], 'must be an entry with keys and operations, or one with only objects'),
)

/** Grants as an Admin sends them; parsed to the text that is sealed, null, or undefined where the member is missing. */
export const grantsBody = grantsSchema
  .nullable()
  .optional()
  .transform((given, context) => {
    if (given === null || given === undefined) return given
    try {
      return writeGrants(given)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      // zod puts the name of the member before the message.
      context.issues.push({ code: 'custom', message: error.message, input: given })
      return z.NEVER
    }
  })
  .describe(
    `Narrows Read to what one of these entries allows, 1 to ${entries} of them; everything else is refused. Only with status 1. null: nothing narrows the permission. Absent: it stays as it is; for a new member, nothing narrows it.`,
  )

/** The member `grants` of an answer, where there are any. */
export const writtenGrants = (scope: Scope | null): { readonly grants?: unknown } =>
  scope === null ? {} : { grants: scope.entries }
