/**
 * Whether a text has more characters than `most`. Code points are counted, as zod and JSON Schema do. Each is one or two
 * UTF-16 units, so that a very long text need not be counted.
 */
export const isLonger = (text: string, most: number): boolean =>
  text.length > most && (text.length > 2 * most || Array.from(text).length > most)
