/** Greatest number of characters that the interface searches for among users. */
const longestSearch = 15

/** The part of a text that the interface searches for. */
export const searchable = (typed: string): string =>
  Array.from(typed.replaceAll(/\p{Cc}/gu, ' ').trim())
    .slice(0, longestSearch)
    .join('')
    .trim()
