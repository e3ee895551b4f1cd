export interface DecodedText {
  readonly text: string
  /** What the bytes were taken for; `windows-1252` where they were nothing else. */
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'
}

/** The text of a file that does not say how it was written, but by its first bytes. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const encoding = marked(bytes) ?? wide(bytes)
  if (encoding !== undefined) return { text: new TextDecoder(encoding).decode(bytes), encoding }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf-8' }
  } catch {
    // Every byte is a character of it.
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'windows-1252' }
  }
}

/** By its byte order mark, which the decoder takes away. */
function marked([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

/** By the zeros beside letters of Latin, where there is no mark. */
function wide(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const looked = bytes.subarray(0, 256)
  const zerosAt = (parity: number): number => looked.filter((byte, at) => at % 2 === parity && byte === 0).length
  const [even, odd] = [zerosAt(0), zerosAt(1)]
  const most = looked.length / 4
  if (odd > most && even === 0) return 'utf-16le'
  return even > most && odd === 0 ? 'utf-16be' : undefined
}
