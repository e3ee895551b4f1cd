/** The message to a witness: the audit key signed that this record is the head of the chain. */
export interface SignedHead {
  readonly chain: string
  readonly seq: number
  /** Hex SHA-256 of the record's line. */
  readonly hash: string
  /** Milliseconds since the Unix epoch, by the signer's clock. */
  readonly at: number
  /** The id of the key that signed; see `keyId`. */
  readonly key: string
  /** The ECDSA signature, base64 of r ‖ s. */
  readonly signature: string
}

/**
 * The head as parameters of RFC 5424 §6.3. No value contains a character that has to be escaped: a quote, a backslash
 * or a bracket.
 */
export function headParameters({ chain, seq, hash, at, key, signature }: SignedHead): string {
  return `chain="${chain}" seq="${seq}" hash="${hash}" at="${at}" key="${key}" sig="${signature}"`
}

// Collectors that store messages as JSON put a backslash before each quote.
const parametersShape =
  /chain=\\?"([a-z][a-z0-9-]{0,31})\\?" seq=\\?"([1-9]\d{0,14})\\?" hash=\\?"([0-9a-f]{64})\\?" at=\\?"(\d{1,15})\\?" key=\\?"([0-9a-f]{16})\\?" sig=\\?"([A-Za-z0-9+/]{86}==)\\?"/

/** Finds the head in a line of a collector's file, whatever text surrounds it. */
export function headIn(line: string): SignedHead | undefined {
  const [, chain, seq, hash, at, key, signature] = parametersShape.exec(line) ?? []
  if (chain === undefined || hash === undefined || key === undefined || signature === undefined) return undefined
  return { chain, seq: Number(seq), hash, at: Number(at), key, signature }
}
