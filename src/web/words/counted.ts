/** A number with what it counts, as the language writes both. */
export const counted = (locale: string, count: number, one: string, more: string): string =>
  `${count.toLocaleString(locale)} ${count === 1 ? one : more}`
