/** An event of the trail as written; times are in milliseconds since the Unix epoch. */
export interface TrailRecord {
  readonly chain: string
  readonly seq: number
  readonly at: number
  readonly operation: string
  readonly requestId: string
  readonly outcome: string
  readonly userId?: number
  readonly username?: string
  readonly sessionId?: number
  readonly applicationKeyId?: number
  readonly address?: string
  readonly vault?: string
  readonly key?: string
  readonly keyVersion?: number
  readonly subject?: string
  readonly count?: number
  readonly ms?: number
}

/** A record and its line, without the newline. An export writes this line, so that its hash can be checked. */
export interface ReadRecord {
  readonly record: TrailRecord
  readonly text: string
}

/** Parses the event in a line of a chain; undefined for seals and other lines. */
export function eventIn(raw: Buffer, chain: string): ReadRecord | undefined {
  const text = raw.toString('latin1', 0, raw.at(-1) === 10 ? raw.length - 1 : raw.length)
  if (!text.startsWith(`{"v":1,"chain":"${chain}",`) || !text.includes('"type":"event"')) return undefined
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a line of this shape is the writer's, or a forger's, who is the verifier's concern
    const record = JSON.parse(text) as TrailRecord & { readonly type: string }
    return record.type === 'event' && typeof record.at === 'number' ? { record, text } : undefined
  } catch {
    return undefined
  }
}
