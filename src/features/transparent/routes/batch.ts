import { z } from 'zod'
import { faultCatalogue } from '../../../http/contract/faults.ts'
import { Fault } from '../../../fault.ts'
import { takeNext, type Result } from '../results.ts'

/** Most items of one call. */
const maxItems = 1_000

/** The list form of a call: `batch_input`, each item with the members of a single call and the caller's own `reference`. */
export function batchOf<T extends z.ZodRawShape>(item: T) {
  const items = z.array(
    z.object({ ...item, reference: z.string().max(256, 'must have 256 characters at most').optional() }),
  )
  return items
    .min(1, 'must have an item')
    .refine((list) => list.length <= maxItems, `must have ${maxItems} items at most`)
    .optional()
}

/**
 * Members of an item that stand beside `batch_input` would bind nothing, and nobody would notice.
 * @throws Fault `request.invalid`
 */
export function checkBeside(body: Readonly<Record<string, unknown>>, item: object): void {
  if (body['batch_input'] === undefined) return
  const beside = Object.keys(item).find((member) => body[member] !== undefined)
  if (beside !== undefined)
    throw new Fault('request.invalid', `${beside} does not go with batch_input: say it in each item.`)
}

/** Items as they came, or why one of them cannot be read. */
export type Read<T> = Result<T>

/** Reads each item by itself, so that one that cannot be read spoils no other. */
export function readEach<I, T>(items: readonly I[], read: (item: I) => T): Read<T>[] {
  return items.map((item) => {
    try {
      return { value: read(item) }
    } catch (error) {
      if (error instanceof Fault) return { fault: error }
      throw error
    }
  })
}

/** Runs what could be read, and puts all results back into the order of the items. */
export async function runEach<T, R>(
  items: readonly Read<T>[],
  run: (ready: readonly T[]) => Promise<readonly Result<R>[]>,
): Promise<Result<R>[]> {
  const ready = items.flatMap((item) => ('value' in item ? [item.value] : []))
  const done = (ready.length === 0 ? [] : await run(ready)).values()
  return items.map((item) => ('fault' in item ? item : takeNext(done)))
}

/** `batch_results`: for each item its members, or `error` with the number of the catalogue; and its `reference`. */
export function batchResults<R>(
  items: readonly { readonly reference?: string | undefined }[],
  results: readonly Result<R>[],
  write: (value: R) => Record<string, string>,
) {
  return results.map((result, index) => {
    const reference = items[index]?.reference
    const members = 'value' in result ? write(result.value) : { error: errorOf(result.fault) }
    return reference === undefined ? members : { ...members, reference }
  })
}

function errorOf(fault: Fault): { code: string; text: string } {
  const { number, text } = faultCatalogue[fault.code]
  return { code: String(number), text: fault.detail ?? text }
}

/** What the answer to one item holds, or to many, beside what names the key; for the documentation. */
export function replyOf(names: z.ZodRawShape, one: z.ZodRawShape, ofMany: z.ZodRawShape) {
  const reference = z.string().optional()
  const failed = z.object({ error: z.object({ code: z.string(), text: z.string() }), reference })
  const results = z.array(z.union([z.object({ ...ofMany, reference }), failed]))
  return z.union([z.object({ ...one, ...names }), z.object({ ...names, batch_results: results })])
}

/** The result of a call with one item. @throws its fault */
export function single<R>(results: readonly Result<R>[]): R {
  const [result] = results
  if (result === undefined) throw new TypeError('a call with one item has no result')
  if ('fault' in result) throw result.fault
  return result.value
}
