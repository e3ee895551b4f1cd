/** Computes something once per row object. A remembering query returns the same row objects again (`Store.query`). */
export function oncePerRow<Row extends object, Made>(make: (row: Row) => Made): (row: Row) => Made {
  const made = new WeakMap<Row, { readonly value: Made }>()
  return (row) => {
    const known = made.get(row)
    if (known !== undefined) return known.value
    const value = make(row)
    made.set(row, { value })
    return value
  }
}
