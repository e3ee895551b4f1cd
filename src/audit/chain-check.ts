import type { Findings, LinePosition } from './audit-report.ts'
import { digestOf, type ChainPoint } from '../hsm/audit-end.ts'
import { genesis, parseLine, sha256, type Line } from './line.ts'
import { parseSeal, sealReach, type Seal, type SealVerifier } from './seal.ts'

const keptPoints = 16_384

export interface ChainCheckOptions {
  readonly chain: string
  readonly verifier: SealVerifier
  /** Called with what a genuine seal of this chain says of another one. */
  readonly onMention: (chain: string, point: ChainPoint, position: LinePosition) => void
  /** Called with each genuine seal that covers what stands in this chain. */
  readonly onSeal?: ((seal: Seal) => void) | undefined
  /** Called with the body of each event that stands where it belongs. */
  readonly onEvent?: ((body: string, position: LinePosition) => void) | undefined
}

/** The state of one chain's check: give it every line in turn. */
export function createChainCheck(options: ChainCheckOptions, findings: Findings) {
  const order = createOrder(options.chain, findings)
  const seals = createSealCheck(options, order.hashAt, findings)
  let at = 0
  let [records, unsealed] = [0, 0]

  function event({ body }: Line, position: LinePosition): void {
    records += 1
    unsealed += 1
    at = Number(/^"at":(\d+),/.exec(body)?.[1] ?? at)
    options.onEvent?.(body, position)
    if (!body.includes('"operation":"audit.truncated"')) return
    findings.add('truncated', position, 'The service noted here that sealed records of this chain were missing.')
  }

  return {
    get at() {
      return at
    },
    get seq() {
      return order.end.seq
    },
    get sealedSeq() {
      return seals.sealedSeq
    },
    sealedHash: (seq: number) => seals.points.get(seq),
    counts: () => ({ records, seals: seals.count, sealedSeq: seals.sealedSeq, unsealed }),
    check(raw: Buffer, position: LinePosition): void {
      const line = order.take(raw, position)
      if (line?.type === 'event') event(line, position)
      if (line?.type === 'seal' && seals.check(line, position)) unsealed = line.seq - 1 - seals.sealedSeq
    },
  }
}

/** Whether each line follows the one before it. */
function createOrder(chain: string, findings: Findings) {
  const recent: string[] = []
  let end: ChainPoint = genesis(chain)
  let before: { hash: string; position: LinePosition } | undefined
  let unreadable = 0

  function fits(line: Line, position: LinePosition): boolean {
    const due = end.seq + 1
    if (line.chain !== chain) {
      findings.add('added', position, `This line belongs to the chain ${line.chain}.`)
      return false
    }
    if (line.seq < due) {
      // A line that follows the one before it, whatever was wrong with that, is where the chain goes on.
      const goesOn = line.prev === before?.hash
      if (!goesOn) findings.add('added', position, `Record ${line.seq} stands where record ${due} is due.`)
      return goesOn
    }
    if (line.seq - due > unreadable) {
      findings.add('removed', position, `Records ${due} to ${line.seq - 1} are missing before this line.`)
    } else if (line.seq === due && line.prev !== end.hash) {
      findings.add(
        'changed',
        before?.position ?? position,
        `This line is not the one after which record ${due} was written.`,
      )
    }
    return true
  }

  return {
    get end() {
      return end
    },
    hashAt: (seq: number) => recent[seq % sealReach],
    /** The line, unless it does not belong where it stands. */
    take(raw: Buffer, position: LinePosition): Line | undefined {
      const line = raw.at(-1) === 10 ? parseLine(raw.toString('latin1', 0, raw.length - 1)) : undefined
      const hash = sha256(raw)
      const taken = line !== undefined && fits(line, position)
      if (line === undefined) {
        findings.add('changed', position, 'This line is not a record.')
        unreadable += 1
      }
      before = { hash, position }
      if (!taken) return undefined
      unreadable = 0
      end = { seq: line.seq, hash }
      recent[line.seq % sealReach] = hash
      return line
    },
  }
}

function createSealCheck(
  { chain, verifier, onMention, onSeal }: ChainCheckOptions,
  hashAt: (seq: number) => string | undefined,
  findings: Findings,
) {
  const points = new Map<number, string>()
  /** The last genuine seal of this chain, also one that covers something else than what stands here. */
  let last: Seal | undefined
  let sealedSeq = 0
  let count = 0

  function fault(line: Line, seal: Seal): string | undefined {
    const { covers } = seal.statement
    const inReach = covers.seq < line.seq && line.seq - covers.seq <= sealReach
    if (inReach && covers.seq > sealedSeq && hashAt(covers.seq) === covers.hash) return undefined
    return `This seal covers another record ${covers.seq} than the one in the chain.`
  }

  // Seals of the older form name none before them, and do not come after those that do.
  const follows = (after: string | undefined): boolean =>
    after === undefined ? last?.statement.after === undefined : after === digestOf(last)

  return {
    points,
    get sealedSeq() {
      return sealedSeq
    },
    get count() {
      return count
    },
    /** Whether the seal is genuine and covers what stands in the chain. */
    check(line: Line, position: LinePosition): boolean {
      count += 1
      const seal = parseSeal(line.body)
      const genuine = seal?.statement.chain === chain && verifier.verifies(seal)
      if (seal === undefined || !genuine) {
        findings.add('bad signature', position, `The key ${verifier.keyId} did not make this seal for this chain.`)
        return false
      }
      const wrong = fault(line, seal)
      if (wrong !== undefined) findings.add('changed', position, wrong)
      else {
        // Where records are known to be missing, so are seals.
        if (findings.kept.length === 0 && !follows(seal.statement.after))
          findings.add('removed', position, 'This seal does not go on from the one before it: seals were left out.')
        sealedSeq = remember(points, seal.statement.covers)
        onSeal?.(seal)
      }
      last = seal
      for (const [name, point] of Object.entries(seal.statement.heads)) onMention(name, point, position)
      return wrong === undefined
    },
  }
}

function remember(points: Map<number, string>, { seq, hash }: ChainPoint): number {
  points.set(seq, hash)
  const [oldest] = points.size > keptPoints ? points.keys() : []
  if (oldest !== undefined) points.delete(oldest)
  return seq
}
