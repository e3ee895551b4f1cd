/** Greatest number of characters that the interface searches for among users. */
const longestSearch = 15

/** A typed text as the interface takes it: without control characters, which come with pasted texts. */
export const withoutControls = (typed: string): string => typed.replaceAll(/\p{Cc}/gu, ' ').trim()

/** The part of a text that the interface searches for. */
export const searchable = (typed: string): string =>
  Array.from(withoutControls(typed)).slice(0, longestSearch).join('').trim()
