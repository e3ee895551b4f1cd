import { z } from 'zod'
import { numberText } from '../../../http/contract/shared-fields.ts'
import { faultCatalogue } from '../../../http/contract/faults.ts'
import { Fault } from '../../../fault.ts'
import type { Batch } from '../batch.ts'

/** Limit of items per call. */
const maxItems = 1_000

/**
 * The list form of a call: `batch_input`, where each item has the members of a single call and a `reference` of the
 * client's choice.
 */
export function batchInput<T extends z.ZodRawShape>(item: T) {
  const items = z.array(
    z.object({
      ...item,
      reference: z
        .string()
        .max(256, 'must have 256 characters at most')
        .describe('Any text of the client: the result of the item carries it.')
        .optional(),
    }),
  )
  return items
    .min(1, 'must have an item')
    .refine((list) => list.length <= maxItems, `must have ${maxItems} items at most`)
    .meta({
      maxItems,
      description: `Many at once, in place of the members of one: ${maxItems} at most. One that fails does not keep the others.`,
    })
    .optional()
}

/**
 * The items of a call: those of `batch_input`, or the call itself as the only item. A member of an item is refused
 * beside `batch_input`: an `aad` there would bind nothing, and no client would notice.
 * @throws Fault `request.invalid`
 */
export function itemsOf<Item extends object>(
  body: object,
  given: readonly Item[] | undefined,
  members: object,
  only: () => Item,
): readonly Item[] {
  if (given === undefined) return [only()]
  const beside = new Map(Object.entries(body))
  const stray = Object.keys(members).find((member) => beside.get(member) !== undefined)
  if (stray !== undefined)
    throw new Fault('request.invalid', `${stray} does not go with batch_input: say it in each item.`)
  return given
}

/** `batch_results`: for each item its `reference` and its members, or `error` with the number of the fault. */
export function batchResults<R>(
  items: readonly { readonly reference?: string | undefined }[],
  outcomes: Batch<R>,
  write: (result: R) => Record<string, string>,
) {
  return outcomes.map((outcome, index) => {
    const reference = items[index]?.reference
    const members = 'result' in outcome ? write(outcome.result) : { error: errorOf(outcome.fault) }
    return reference === undefined ? members : { ...members, reference }
  })
}

function errorOf(fault: Fault): { code: string; text: string } {
  const { number, text } = faultCatalogue[fault.code]
  return { code: String(number), text: fault.detail ?? text }
}

const itemError = z
  .object({
    code: numberText('Number of what went wrong, as ERRORCODES has it.'),
    text: z.string().describe('What went wrong, for people.'),
  })
  .meta({ id: 'ItemError', description: 'Why an item failed.' })

/** For the documentation of a body that `itemsOf` reads: either the member `one`, or `batch_input`. */
export const oneOrMany = (one: string) => ({
  oneOf: [
    { title: 'One', required: [one] },
    { title: 'Many', required: ['batch_input'] },
  ],
})

/** For the documentation: the reply for one item or for many, besides the members that name the key. */
export function replyOf(names: z.ZodRawShape, one: z.ZodRawShape, ofMany: z.ZodRawShape) {
  const reference = z.string().describe('The text that the client gave the item.').optional()
  const results = z
    .array(
      z.union([
        z.object({ ...ofMany, reference }).describe('Result of an item.'),
        z.object({ error: itemError, reference }).describe('An item that failed.'),
      ]),
    )
    .max(maxItems)
    .describe('A result for each item, in the order of the items.')
  return z.union([
    z.object({ ...one, ...names }).describe('Of one.'),
    z.object({ ...names, batch_results: results }).describe('Of many.'),
  ])
}
