/** A number and a noun, in the notation of the language. */
export const counted = (locale: string, count: number, one: string, more: string): string =>
  `${count.toLocaleString(locale)} ${count === 1 ? one : more}`
