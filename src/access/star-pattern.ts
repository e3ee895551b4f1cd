/** Limits of a pattern: its length, and the number of its stars. */
export const longestPattern = 128
export const mostStars = 8

/** Whether a text is a valid pattern: literal characters, and `*` for any number of any characters. */
export const isStarPattern = (pattern: string): boolean =>
  pattern.length > 0 && pattern.length <= longestPattern && pattern.split('*').length - 1 <= mostStars

/** Whether a pattern matches the whole text. */
export const fitsPattern = (pattern: string, text: string): boolean => fitsParts(pattern.split('*'), text)

/**
 * The same for a pattern that was split at its stars. Each part is searched once, after the one before it, so that the
 * time is bounded by the length of the text times the number of parts, unlike with a regular expression.
 */
export function fitsParts(parts: readonly string[], text: string): boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)]
  if (parts.length === 1) return text === first
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
  const end = text.length - last.length
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
