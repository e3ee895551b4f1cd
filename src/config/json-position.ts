const string = /\s*"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*"/iuy
const scalar = /\s*(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)\b/y

/**
 * Where `text` stops being JSON (RFC 8259), as `line L, column C` counted from 1. For texts that JSON.parse has
 * refused, because its own message names the place in some versions of Node only.
 */
export function malformedAt(text: string): string {
  let at = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const found = pattern.test(text)
    if (found) at = pattern.lastIndex
    return found
  }
  const list = (close: RegExp, item: () => boolean): boolean => {
    if (take(close)) return true
    do if (!item()) return false
    while (take(/\s*,/y))
    return take(close)
  }
  const value = (): boolean => {
    if (take(string) || take(scalar)) return true
    if (take(/\s*\[/y)) return list(/\s*\]/y, value)
    return take(/\s*\{/y) && list(/\s*\}/y, () => take(string) && take(/\s*:/y) && value())
  }
  value()
  take(/\s*/y)
  const lines = text.slice(0, at).split('\n')
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`
}
