import type { Outcome } from './hsm.ts'

/** The results among the outcomes, in their order. */
export function resultsOf<T>(outcomes: readonly Outcome<T>[]): T[] {
  return outcomes.flatMap((outcome) => ('result' in outcome ? [outcome.result] : []))
}

/**
 * The outcomes after a further step: in the place of each result what the step made of it; a fault stays. `next` has
 * one outcome for each of `resultsOf(outcomes)`, in their order.
 * @throws RangeError when it has fewer or more: what the step before gave must never pass for a result of this one
 */
export function replaceResults<T, U>(outcomes: readonly Outcome<T>[], next: readonly Outcome<U>[]): Outcome<U>[] {
  const remaining = next.values()
  const replaced = outcomes.map((outcome) => ('fault' in outcome ? outcome : required(remaining.next().value)))
  if (remaining.next().done !== true) throw new RangeError('a batch with more outcomes than items')
  return replaced
}

/** @throws RangeError when there is none */
export function required<T>(outcome: Outcome<T> | undefined): Outcome<T> {
  if (outcome === undefined) throw new RangeError('a batch with fewer outcomes than items')
  return outcome
}
