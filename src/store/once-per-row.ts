/** What is made of a row, made once: a query that remembers its rows gives the same ones again (`Store.query`). */
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
