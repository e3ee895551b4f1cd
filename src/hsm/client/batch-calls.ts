import type { KeyReference, Outcome } from '../hsm.ts'
import { batchFields, type BatchItem, mostInFrame, readOutcomes } from '../protocol/batch-frame.ts'
import type { Operation } from '../protocol/frame.ts'

export type BatchOperation = Extract<Operation, 'encryptMany' | 'decryptMany' | 'rewrapMany'>

/** Sends the items of a batch in groups that a token host accepts. Resolves to their outcomes, in the order of the items. */
export function createBatchCall(
  fields: (operation: BatchOperation, fields: readonly Uint8Array[]) => Promise<readonly Buffer[]>,
): (operation: BatchOperation, items: readonly BatchItem[]) => Promise<readonly Outcome[]> {
  return async (operation, items) => {
    const outcomes: Outcome[] = []
    for (const some of inFrames(items))
      outcomes.push(...readOutcomes(await fields(operation, batchFields(some)), some.length))
    return outcomes
  }
}

/** The items, in their order, in groups for one frame each. */
function* inFrames(items: readonly BatchItem[]): Generator<readonly BatchItem[], void> {
  let named = new Set<KeyReference>()
  let from = 0
  for (const [at, { references }] of items.entries()) {
    const more = references.filter((reference) => !named.has(reference))
    if (at > from && (at - from === mostInFrame.items || named.size + more.length > mostInFrame.keys)) {
      yield items.slice(from, at)
      from = at
      named = new Set()
    }
    for (const reference of references) named.add(reference)
  }
  if (from < items.length) yield items.slice(from)
}
