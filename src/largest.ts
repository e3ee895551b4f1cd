/** The first of the items with the largest size. Those whose size is undefined do not count. */
export function largestOf<Item>(items: Iterable<Item>, sizeOf: (item: Item) => number | undefined): Item | undefined {
  let largest: Item | undefined
  let most = -Infinity
  for (const item of items) {
    const size = sizeOf(item)
    if (size === undefined || size <= most) continue
    largest = item
    most = size
  }
  return largest
}
