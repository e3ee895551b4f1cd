import { type ChainPoint, isSignedBy, keyId, type SealStatement } from './audit-end.ts'

/** What the keeper says where it begins to sign the trail with another key. Keys are DER SubjectPublicKeyInfo, base64. */
export interface SuccessionStatement {
  readonly from: string
  readonly to: string
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  /** The last ends that the key before signed: it has signed nothing beyond them. */
  readonly heads: Readonly<Record<string, ChainPoint>>
}

/** Signed by both keys: that before hands over, and the next one says where. */
export interface Succession {
  /** The bytes that both signed. */
  readonly text: string
  readonly byFormer: Buffer
  readonly byNext: Buffer
}

/** Begins otherwise than a statement on a chain, or an import job: none is ever taken for another. */
export function successionText({ from, to, at, heads }: SuccessionStatement): string {
  const sorted = Object.fromEntries(
    Object.entries(heads)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([chain, { seq, hash }]) => [chain, { seq, hash }]),
  )
  return JSON.stringify({ audit_keys: 1, from, to, at, heads: sorted })
}

/** Undefined for one that is not of its form, or that the two keys in it did not sign. */
function readSuccession(succession: Succession): SuccessionStatement | undefined {
  const { text, byFormer, byNext } = succession
  try {
    const statement: SuccessionStatement = JSON.parse(text)
    if (successionText(statement) !== text) return undefined
    const [from, to] = [statement.from, statement.to].map((key) => Buffer.from(key, 'base64'))
    if (from === undefined || to === undefined) return undefined
    const isSigned = isSignedBy(from, { text, signature: byFormer }) && isSignedBy(to, { text, signature: byNext })
    return isSigned ? statement : undefined
  } catch {
    return undefined
  }
}

/** A key of the trail, and where it has ended; without an end it signs on. */
export interface TrustedKey {
  readonly publicKey: Buffer
  readonly until: SuccessionStatement | undefined
}

/**
 * All keys of a trail, by their ids, from one of them: forward by what it signed as the key before, and back by what it
 * signed as the next one. Where two keys follow one, neither is trusted. The last is the newest.
 */
export function keysFrom(anchor: Buffer, successions: readonly Succession[]): ReadonlyMap<string, TrustedKey> {
  const read = new Map(successions.map((one) => [one.text, readSuccession(one)]))
  const statements = [...read.values()].filter((one) => one !== undefined)
  const only = (side: 'from' | 'to', key: string): SuccessionStatement | undefined => {
    const [found, another] = statements.filter((one) => one[side] === key)
    return another === undefined ? found : undefined
  }
  const chain = [anchor.toString('base64')]
  for (let step = only('to', chain[0] ?? ''); step && !chain.includes(step.from); step = only('to', step.from))
    chain.unshift(step.from)
  const last = () => chain.at(-1) ?? ''
  for (let step = only('from', last()); step && !chain.includes(step.to); step = only('from', last()))
    chain.push(step.to)
  return new Map(
    chain.map((key, at) => {
      const publicKey = Buffer.from(key, 'base64')
      const until = statements.find(({ from, to }) => from === key && to === chain[at + 1])
      return [keyId(publicKey), { publicKey, until }]
    }),
  )
}

/** Whether a key had not ended when this was signed. */
export function isWithin(until: SuccessionStatement | undefined, { chain, covers }: SealStatement): boolean {
  const last = until?.heads[chain]
  return until === undefined || (last !== undefined && covers.seq <= last.seq)
}
