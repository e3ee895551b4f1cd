/** A block between BEGIN and END lines (RFC 7468 §2); the END may be missing where a file was cut off. */
export interface Armour {
  readonly label: string
  /** What its base64 stands for, as far as it goes; empty where it is encrypted as RFC 1421 has it. */
  readonly content: Buffer
}

/** Behind a byte order mark too, as Windows writes it. */
const beginning = /^(?:\xEF\xBB\xBF)?-----BEGIN ([A-Z0-9 ]{1,40})-----[ \t]*$/m
/** Curve parameters that OpenSSL writes before a key. */
const preludes = new Set(['EC PARAMETERS', 'DSA PARAMETERS', 'DH PARAMETERS'])

/** The first block that is no prelude to another; other text may stand before it. */
export function firstArmour(bytes: Buffer): Armour | undefined {
  let text = bytes.toString('latin1').replaceAll('\r\n', '\n')
  // Two preludes in a row belong to nothing that anybody writes.
  for (let block = 0; block < 3; block++) {
    const found = beginning.exec(text)
    if (found === null) return undefined
    const [line, label = ''] = found
    text = text.slice(found.index + line.length)
    if (!preludes.has(label)) return { label, content: contentOf(text) }
  }
  return undefined
}

function contentOf(text: string): Buffer {
  const end = text.indexOf('-----')
  const body = end < 0 ? text : text.slice(0, end)
  return body.includes('Proc-Type:') ? Buffer.alloc(0) : Buffer.from(body, 'base64')
}
