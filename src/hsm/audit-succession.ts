import { type ChainPoint, isSignedBy, keyId, type SealStatement } from './audit-end.ts'

/** States that the trail is signed by another key from now on. Keys are DER SubjectPublicKeyInfo in base64. */
export interface SuccessionStatement {
  readonly from: string
  readonly to: string
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  /** The last end of each chain that `from` signed. What it signs beyond these does not count. */
  readonly heads: Readonly<Record<string, ChainPoint>>
}

/** A succession statement and its signatures by both keys. */
export interface Succession {
  /** The bytes that both signed. */
  readonly text: string
  readonly byFormer: Buffer
  readonly byNext: Buffer
}

/** A key of the trail, and the successions that lead from it to the others. */
export interface TrailKeys {
  /** DER SubjectPublicKeyInfo. */
  readonly publicKey: Buffer
  readonly successions: readonly Succession[]
}

/**
 * The canonical text of a statement. Its beginning differs from statements on chains and import jobs, so that none can
 * be taken for another.
 */
export function successionText({ from, to, at, heads }: SuccessionStatement): string {
  const sorted = Object.fromEntries(
    Object.entries(heads)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([chain, { seq, hash }]) => [chain, { seq, hash }]),
  )
  return JSON.stringify({ audit_keys: 1, from, to, at, heads: sorted })
}

/** Undefined for a text that is not canonical, or that was not signed by both keys in it. */
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

/** A key of the trail. `until`: the statement where it ended; undefined for the key that signs now. */
export interface TrustedKey {
  readonly publicKey: Buffer
  readonly until: SuccessionStatement | undefined
}

/**
 * All keys of a trail by their ids, oldest first, found from one of them: later keys by the successions that it signed
 * as `from`, earlier keys by those that it signed as `to`. Where two keys claim to follow one, neither is trusted.
 */
export function keysFrom({ publicKey: anchor, successions }: TrailKeys): ReadonlyMap<string, TrustedKey> {
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

/** Whether the key may have signed this statement: it had not ended before. */
export function isWithin(until: SuccessionStatement | undefined, { chain, covers }: SealStatement): boolean {
  const last = until?.heads[chain]
  return until === undefined || (last !== undefined && covers.seq <= last.seq)
}
