/**
 * A reader of DER (X.690), for what must be read fast and byte by byte: a revocation list may hold a hundred thousand entries. It
 * knows definite lengths and tags below 31 only, which is all that X.509 uses, and throws RangeError for anything else.
 */
export interface DerElement {
  readonly tag: number
  /** The element with its tag and length. */
  readonly raw: Buffer
  readonly content: Buffer
}

export const derTag = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  /** `[0]`, constructed. */
  context0: 0xa0,
} as const

/** The element that `bytes` begin with; what follows it is left alone. */
export function readElement(bytes: Buffer, start = 0): DerElement {
  const tag = byteAt(bytes, start)
  if ((tag & 0x1f) === 0x1f) throw new RangeError('a DER tag of more than one byte')
  const first = byteAt(bytes, start + 1)
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f
  if (first === 0x80 || lengthBytes > 4) throw new RangeError('a DER length that is indefinite or too long')
  let length = lengthBytes === 0 ? first : 0
  for (let at = 0; at < lengthBytes; at++) length = length * 256 + byteAt(bytes, start + 2 + at)
  const from = start + 2 + lengthBytes
  if (from + length > bytes.length) throw new RangeError('a DER element runs past its end')
  return { tag, raw: bytes.subarray(start, from + length), content: bytes.subarray(from, from + length) }
}

/** The elements that a constructed element holds, one after another. */
export function readElements(content: Buffer): DerElement[] {
  const elements: DerElement[] = []
  for (let at = 0; at < content.length;) {
    const element = readElement(content, at)
    elements.push(element)
    at += element.raw.length
  }
  return elements
}

/** The one element that `bytes` hold. Throws RangeError when its tag is another, or something follows it. */
export function readOnly(bytes: Buffer, tag: number): DerElement {
  const element = readElement(bytes)
  if (element.tag !== tag || element.raw.length !== bytes.length) throw new RangeError(`not one DER element ${tag}`)
  return element
}

/** Milliseconds since the Unix epoch of a UTCTime or GeneralizedTime in the form that RFC 5280 §4.1.2.5 asks for. */
export function readTime({ tag, content }: DerElement): number {
  const text = content.toString('latin1')
  const [, digits] = (tag === derTag.utcTime ? /^(\d{12})Z$/ : /^(\d{14})Z$/).exec(text) ?? []
  if (digits === undefined || (tag !== derTag.utcTime && tag !== derTag.generalizedTime))
    throw new RangeError('not a time as RFC 5280 has it')
  // RFC 5280 §4.1.2.5.1: years of two digits from 50 on are of the twentieth century.
  const full = tag === derTag.generalizedTime ? digits : `${Number(digits.slice(0, 2)) >= 50 ? '19' : '20'}${digits}`
  const iso = full.replace(/^(....)(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6Z')
  const time = Date.parse(iso)
  if (Number.isNaN(time)) throw new RangeError('a time that does not exist')
  return time
}

/** The bytes of a BIT STRING that fills whole bytes, as all signatures do. */
export function readBits({ tag, content }: DerElement): Buffer {
  if (tag !== derTag.bitString || content[0] !== 0) throw new RangeError('not a BIT STRING of whole bytes')
  return content.subarray(1)
}

/** An object identifier in dotted form. */
export function readOid({ tag, content }: DerElement): string {
  if (tag !== derTag.oid || content.length === 0) throw new RangeError('not an object identifier')
  const arcs: number[] = []
  let arc = 0
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    arcs.push(arc)
    arc = 0
  }
  const [head = 0, ...rest] = arcs
  const first = Math.min(Math.floor(head / 40), 2)
  return [first, head - first * 40, ...rest].join('.')
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at]
  if (byte === undefined) throw new RangeError('a DER element is cut off')
  return byte
}
