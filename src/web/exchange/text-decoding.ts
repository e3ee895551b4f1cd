export interface DecodedText {
  readonly text: string
  /** The assumed encoding; `windows-1252` if no other fits. */
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'
}

/** Decodes a text file whose encoding is unknown. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const encoding = marked(bytes) ?? wide(bytes)
  if (encoding !== undefined) return { text: new TextDecoder(encoding).decode(bytes), encoding }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf-8' }
  } catch {
    // Every byte is valid in this encoding.
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'windows-1252' }
  }
}

/** The encoding by a byte order mark, which the decoder then removes. */
function marked([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

/** The encoding of UTF-16 without a mark, by the zero bytes of Latin letters. */
function wide(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const looked = bytes.subarray(0, 256)
  const zerosAt = (parity: number): number => looked.filter((byte, at) => at % 2 === parity && byte === 0).length
  const [even, odd] = [zerosAt(0), zerosAt(1)]
  const most = looked.length / 4
  if (odd > most && even === 0) return 'utf-16le'
  return even > most && odd === 0 ? 'utf-16be' : undefined
}
