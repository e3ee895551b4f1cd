import type { Outcome } from './hsm.ts'

/** The results among the outcomes, in their order. */
export function resultsOf<T>(outcomes: readonly Outcome<T>[]): T[] {
  return outcomes.flatMap((outcome) => ('result' in outcome ? [outcome.result] : []))
}

/**
 * Replaces each result by its outcome in the next step, and keeps faults. `next` has one outcome for each of
 * `resultsOf(outcomes)`, in their order.
 * @throws RangeError when it has fewer or more, so that a result of the earlier step never passes for one of the next
 */
export function replaceResults<T, U>(outcomes: readonly Outcome<T>[], next: readonly Outcome<U>[]): Outcome<U>[] {
  const remaining = next.values()
  const replaced = outcomes.map((outcome) => ('fault' in outcome ? outcome : required(remaining.next().value)))
  if (remaining.next().done !== true) throw new RangeError('a batch with more outcomes than items')
  return replaced
}

/** The result of one item. @throws its fault */
export function resultOf<T>(outcome: Outcome<T> | undefined): T {
  const found = required(outcome)
  if ('fault' in found) throw found.fault
  return found.result
}

/** @throws RangeError when there is none */
export function required<T>(outcome: Outcome<T> | undefined): Outcome<T> {
  if (outcome === undefined) throw new RangeError('a batch with fewer outcomes than items')
  return outcome
}
