/** A block of a PEM file (RFC 7468). */
export interface PemBlock {
  readonly label: string
  /** The decoded base64; empty where the body begins with headers (RFC 1421): those blocks are encrypted. */
  readonly bytes: Buffer
  /** The text between the BEGIN line and the END line, or the end of the text. */
  readonly body: string
}

const beginAnywhere = /-----BEGIN ([A-Z0-9 ]+)-----/g
/** Behind a byte order mark too, as Windows writes it. */
const beginLine = /^(?:\xEF\xBB\xBF)?-----BEGIN ([A-Z0-9 ]{1,40})-----[ \t]*$/gm
const base64Text = /^[A-Za-z0-9+/\s]*={0,2}\s*$/
/** Curve parameters that OpenSSL writes before a key. */
const preludes = new Set(['EC PARAMETERS', 'DSA PARAMETERS', 'DH PARAMETERS'])

/** The blocks of a PEM text; text between them is comment. Throws RangeError where one is not base64. */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = []
  for (const { isWhole, ...block } of blocksIn(text, beginAnywhere)) {
    if (!isWhole) continue
    if (!isEncrypted(block.body) && !base64Text.test(block.body))
      throw new RangeError(`the block ${block.label} is not base64`)
    blocks.push(block)
  }
  return blocks
}

/**
 * The first block that is no prelude to another; other text may precede it. `bytes` may be cut off anywhere
 * behind the BEGIN line, and the block then holds what is there.
 */
export function firstPemBlock(bytes: Buffer): PemBlock | undefined {
  const text = bytes.toString('latin1').replaceAll('\r\n', '\n')
  let count = 0
  for (const block of blocksIn(text, beginLine)) {
    if (!preludes.has(block.label)) return block
    // No tool writes more than two preludes in a row.
    if (++count === 3) return undefined
  }
  return undefined
}

/** DER as PEM, in lines of 64 characters as RFC 7468 §2 asks for. */
export function pemOf(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}

function* blocksIn(text: string, begin: RegExp): Generator<PemBlock & { readonly isWhole: boolean }> {
  for (const { 0: line, 1: label = '', index } of text.matchAll(begin)) {
    const start = index + line.length
    const end = text.indexOf('-----', start)
    const body = end < 0 ? text.slice(start) : text.slice(start, end)
    const bytes = isEncrypted(body) ? Buffer.alloc(0) : Buffer.from(body, 'base64')
    yield { label, body, bytes, isWhole: end >= 0 && text.startsWith(`-----END ${label}-----`, end) }
  }
}

/** RFC 1421 §4.6.1.1: what OpenSSL writes before a key that it has encrypted in its own form. */
const isEncrypted = (body: string): boolean => body.includes('Proc-Type:')
