/** A block of a PEM file (RFC 7468). */
export interface PemBlock {
  readonly label: string
  readonly bytes: Buffer
}

const block = /-----BEGIN ([A-Z0-9 ]+)-----\r?\n?([^-]*)-----END \1-----/g
const base64Text = /^[A-Za-z0-9+/\s]*={0,2}\s*$/

/** The blocks of a PEM text; what stands between them is comment. Throws RangeError where one is not base64. */
export function pemBlocks(text: string): PemBlock[] {
  return Array.from(text.matchAll(block), ([, label = '', body = '']) => {
    if (!base64Text.test(body)) throw new RangeError(`the block ${label} is not base64`)
    return { label, bytes: Buffer.from(body, 'base64') }
  })
}
