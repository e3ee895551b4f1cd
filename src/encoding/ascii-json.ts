/** DEL as well: it is ASCII, and no terminal shows it. */
const beyondAscii = /[\u007f-\uffff]/g

/** JSON text in ASCII alone, with escapes for every other character. */
export function escapeBeyondAscii(json: string): string {
  // Nearly always there is nothing to replace, and these two see that ten times as fast as the pattern does.
  if (Buffer.byteLength(json) === json.length && !json.includes('\u007f')) return json
  return json.replaceAll(beyondAscii, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
