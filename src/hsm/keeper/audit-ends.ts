import { hash } from 'node:crypto'
import { Fault } from '../../fault.ts'
import {
  chainNamePattern,
  digestOf,
  isSignedBy,
  keyId,
  mostHeads,
  parseStatement,
  statementText,
  type AuditEnd,
  type ChainPoint,
  type SignedEnd,
} from '../audit-end.ts'
import type { RequestFields } from '../server/request-fields.ts'
import type { KeeperState } from './keeper-state.ts'

export interface AuditEndsDependencies {
  readonly state: KeeperState
  /** Signs with the token's audit key: r ‖ s over a SHA-256 digest. */
  readonly sign: (digest: Buffer) => Buffer
  /** DER SubjectPublicKeyInfo of the signing audit key. */
  readonly publicKey: () => Buffer
  /** Earlier audit keys, whose signatures an unknown chain may have. */
  readonly earlierKeys: () => readonly Buffer[]
  /** The id of this machine's keeper: see `SealStatement`. */
  readonly machine: () => string
  readonly now: () => number
  /** Whether a chain has the name of one of this machine. Any other would stay in the keeper's file for good. */
  readonly isOwn: (chain: string) => boolean
}

/** The last signed end of each chain. An end that does not continue it is not signed. */
export interface AuditEnds {
  last(chain: string): SignedEnd | undefined
  /** The last signed point of each known chain. */
  points(): ReadonlyMap<string, ChainPoint>
  /**
   * Signs the end, and stores it before it answers. The same end gets the same answer again. An unknown chain begins
   * with its first end, or continues from a signature that is shown, once.
   * @throws Fault `hsm.rejected` for an end that does not continue the last one
   */
  sign(end: AuditEnd): SignedEnd
}

interface Row {
  readonly seq: number
  readonly hash: string
  readonly text: string
  readonly signature: Buffer
}

/**
 * No process writes more records in a millisecond. So an honest chain is never ahead of this count since 1970, and goes on
 * from whatever number is signed. Where the clock is behind, as at a start without one, a chain goes on by a few records.
 */
const mostRecordsPerMs = 100
const closeRecords = 1_000_000

const endsTable =
  'CREATE TABLE IF NOT EXISTS audit_ends (chain TEXT PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL, text TEXT NOT NULL, signature BLOB NOT NULL) STRICT'

/** The last signed point of each chain that the keeper knows. */
export function pointsIn(state: KeeperState): ReadonlyMap<string, ChainPoint> {
  state.exec(endsTable)
  const list = state.prepare<[], { readonly chain: string } & ChainPoint>('SELECT chain, seq, hash FROM audit_ends')
  return new Map(list.all().map(({ chain, seq, hash }) => [chain, { seq, hash }]))
}

export function createAuditEnds(on: AuditEndsDependencies): AuditEnds {
  const { state, sign, publicKey, earlierKeys, machine, now, isOwn } = on
  state.exec(endsTable)
  const find = state.prepare<[string], Row>('SELECT seq, hash, text, signature FROM audit_ends WHERE chain = ?')
  const keep = state.prepare(
    'INSERT OR REPLACE INTO audit_ends (chain, seq, hash, text, signature) VALUES (?, ?, ?, ?, ?)',
  )

  /** The point of the last signature. For a trail that is older than the keeper, it is that of the trail's seal. */
  function goesOnFrom({ chain, previous }: AuditEnd): ChainPoint | undefined {
    const known = find.get(chain)
    if (known !== undefined) {
      if (digestOf(known) !== digestOf(previous)) throw refused(chain)
      return known
    }
    // Machines that share a token share the audit key: another one's chain would go on from any of its seals.
    if (!isOwn(chain)) throw noneOfOurs(chain)
    if (previous === undefined) return undefined
    const statement = parseStatement(previous.text)
    const isOurs = [publicKey(), ...earlierKeys()].some((key) => isSignedBy(key, previous))
    if (statement?.chain !== chain || !isOurs) throw refused(chain)
    return statement.covers
  }

  return {
    last: (chain) => find.get(chain),
    points: () => pointsIn(state),
    sign(end) {
      const { chain, covers, heads, previous } = end
      const known = find.get(chain)
      if (known?.seq === covers.seq && known.hash === covers.hash) return known
      const before = goesOnFrom(end)
      const last = before?.seq ?? 0
      if (covers.seq <= last || covers.seq > Math.max(now() * mostRecordsPerMs, last + closeRecords))
        throw refused(chain)
      const key = keyId(publicKey())
      const after = digestOf(previous)
      const text = statementText({ chain, machine: machine(), at: now(), covers, after, heads, key })
      const signature = sign(hash('sha256', text, 'buffer'))
      keep.run(chain, covers.seq, covers.hash, text, signature)
      return { text, signature }
    },
  }
}

const refused = (chain: string): Fault =>
  new Fault('hsm.rejected', `This end of the audit chain ${chain} does not go on from the last one that was signed.`)

const noneOfOurs = (chain: string): Fault =>
  new Fault(
    'hsm.rejected',
    `The keeper signs no end of ${chain}, which no process of this machine writes. After a change of audit.machine, restart it.`,
  )

const hashForm = /^[0-9a-f]{64}$/

/** Parses the end in a request. @throws Fault `hsm.rejected` where a part of it is malformed */
export function readAuditEnd(fields: RequestFields): AuditEnd {
  const chain = fields.text()
  const covers = { seq: fields.integer(), hash: fields.text() }
  const heads = headsIn(fields.text())
  const previous = { text: fields.text(), signature: fields.bytes() }
  if (!chainNamePattern.test(chain) || !isPoint(covers) || heads === undefined)
    throw new Fault('hsm.rejected', 'This is not an end of an audit chain.')
  return { chain, covers, heads, previous: previous.text === '' ? undefined : previous }
}

function headsIn(text: string): Record<string, ChainPoint> | undefined {
  try {
    const heads: Record<string, ChainPoint> = JSON.parse(text)
    const named = Object.entries(heads)
    return named.length <= mostHeads && named.every(([name, point]) => chainNamePattern.test(name) && isPoint(point))
      ? heads
      : undefined
  } catch {
    return undefined
  }
}

const isPoint = ({ seq, hash }: ChainPoint): boolean => Number.isSafeInteger(seq) && seq > 0 && hashForm.test(hash)
