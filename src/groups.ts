/** Splits the items, in order, into groups of at most `most`. */
export function* groupsOf<Item>(items: readonly Item[], most: number): Generator<readonly Item[], void> {
  for (let from = 0; from < items.length; from += most) yield items.slice(from, from + most)
}
