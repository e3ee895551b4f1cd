/** The items in their order, in groups of so many and a last one of what is left. */
export function* groupsOf<Item>(items: readonly Item[], most: number): Generator<readonly Item[], void> {
  for (let from = 0; from < items.length; from += most) yield items.slice(from, from + most)
}
