/** A block of a PEM file (RFC 7468). */
export interface PemBlock {
  readonly label: string
  /** The decoded base64; empty if the block is encrypted, that is, if its body begins with headers (RFC 1421). */
  readonly bytes: Buffer
  /** The text between the BEGIN line and the END line, or up to the end of the text. */
  readonly body: string
}

const beginAnywhere = /-----BEGIN ([A-Z0-9 ]+)-----/g
/** A byte order mark may precede the line, as Windows writes it. */
const beginLine = /^(?:\xEF\xBB\xBF)?-----BEGIN ([A-Z0-9 ]{1,40})-----[ \t]*$/gm
// Without the blanks at the end: two patterns of blanks in a row would take quadratic time.
const base64Text = /^[A-Za-z0-9+/\s]*={0,2}$/
/** Labels of parameters that OpenSSL writes before a key. */
const preludes = new Set(['EC PARAMETERS', 'DSA PARAMETERS', 'DH PARAMETERS'])

/** The blocks of a PEM text; other text between them is ignored. @throws RangeError if a block is not base64 */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = []
  for (const { isWhole, ...block } of blocksIn(text, beginAnywhere)) {
    if (!isWhole) continue
    if (!isEncrypted(block.body) && !base64Text.test(block.body.trimEnd()))
      throw new RangeError(`the block ${block.label} is not base64`)
    blocks.push(block)
  }
  return blocks
}

/**
 * The first block that is not a prelude to another; other text may precede it. `bytes` may be truncated after the BEGIN
 * line, and the block then has the rest.
 */
export function firstPemBlock(bytes: Buffer): PemBlock | undefined {
  const text = bytes.toString('latin1').replaceAll('\r\n', '\n')
  let count = 0
  for (const block of blocksIn(text, beginLine)) {
    if (!preludes.has(block.label)) return block
    // No tool writes more than two preludes before a key.
    if (++count === 3) return undefined
  }
  return undefined
}

/** A DER SubjectPublicKeyInfo as PEM, in lines of 64 characters (RFC 7468 §2 and §13). */
export function publicKeyPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN PUBLIC KEY-----', ...lines, '-----END PUBLIC KEY-----', ''].join('\n')
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

/** OpenSSL writes this header (RFC 1421 §4.6.1.1) before a key that it has encrypted in its own format. */
const isEncrypted = (body: string): boolean => body.includes('Proc-Type:')
