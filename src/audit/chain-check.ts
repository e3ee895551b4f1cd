import type { SealPoint } from './archive/archive-manifest.ts'
import type { Findings, LinePosition } from './audit-report.ts'
import { digestOf, type ChainPoint } from '../hsm/audit-end.ts'
import { genesis, parseLine, sha256, type Line } from './line.ts'
import { parseSeal, sealReach, type Seal, type SealVerifier } from './seal.ts'

const keptPoints = 16_384

/** Where a chain begins whose first records are not read, because they were archived. */
export interface ChainBegin {
  /** The last record of what was archived. */
  readonly point: ChainPoint
  readonly seal: SealPoint
}

export interface ChainCheckOptions {
  readonly chain: string
  /** Older files may still exist, completely or in part. */
  readonly begin?: ChainBegin | undefined
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
  const order = createOrder(options, findings)
  const seals = createSealCheck(options, order, findings)
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
    get end() {
      return order.end
    },
    /** Records up to this one were archived, and are not there; 0 where the chain is whole. */
    get startSeq() {
      return order.startSeq
    },
    get sealedSeq() {
      return seals.sealedSeq
    },
    get sealPoint(): SealPoint {
      return seals.point
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
function createOrder({ chain, begin }: ChainCheckOptions, findings: Findings) {
  const recent: string[] = []
  let end: ChainPoint = genesis(chain)
  let startSeq = 0
  let isBegun = begin === undefined
  let before: { hash: string; position: LinePosition } | undefined
  let unreadable = 0

  /**
   * Of a chain that was archived in part, the first line that is there goes on from the archive, or stands in it: then what
   * comes before is known by its hash alone, and is bound by the last record of the archive.
   */
  function start({ seq, prev }: Line, { point }: ChainBegin): void {
    isBegun = true
    if (seq === 1) return
    end = seq <= point.seq ? { seq: seq - 1, hash: prev } : point
    startSeq = end.seq
    recent[end.seq % sealReach] = end.hash
  }

  function meetsArchive({ seq }: Line, hash: string, position: LinePosition): void {
    if (seq === begin?.point.seq && hash !== begin.point.hash)
      findings.add('changed', position, 'This line is not the one with which the archive of the chain ends.')
  }

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
    get startSeq() {
      return startSeq
    },
    hashAt: (seq: number) => recent[seq % sealReach],
    /** The line, unless it does not belong where it stands. */
    take(raw: Buffer, position: LinePosition): Line | undefined {
      const line = raw.at(-1) === 10 ? parseLine(raw.toString('latin1', 0, raw.length - 1)) : undefined
      const hash = sha256(raw)
      if (line?.chain === chain && !isBegun && begin !== undefined) start(line, begin)
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
      meetsArchive(line, hash, position)
      return line
    },
  }
}

function createSealCheck(
  { chain, begin, verifier, onMention, onSeal }: ChainCheckOptions,
  order: Pick<ReturnType<typeof createOrder>, 'hashAt' | 'startSeq'>,
  findings: Findings,
) {
  const points = new Map<number, string>()
  /** The last genuine seal of this chain, also one that covers something else than what stands here. */
  let last: Seal | undefined
  let sealedSeq = 0
  /** Whether the seal before the first that is here is the last of the archive; else it is not known. */
  const goesOn = (): boolean => begin !== undefined && order.startSeq === begin.point.seq
  let count = 0

  function fault(line: Line, seal: Seal): string | undefined {
    const { covers } = seal.statement
    const inReach = covers.seq < line.seq && line.seq - covers.seq <= sealReach
    // A record of the archive is known by the hashes behind it.
    const stands = covers.seq < order.startSeq || order.hashAt(covers.seq) === covers.hash
    if (inReach && covers.seq > (goesOn() ? Math.max(sealedSeq, begin?.seal.seq ?? 0) : sealedSeq) && stands)
      return undefined
    return `This seal covers another record ${covers.seq} than the one in the chain.`
  }

  // Seals of the older form name none before them, and do not come after those that do.
  const follows = (after: string | undefined): boolean => {
    if (last === undefined && order.startSeq > 0)
      return !goesOn() || after === undefined || after === begin?.seal.digest
    return after === undefined ? last?.statement.after === undefined : after === digestOf(last)
  }

  return {
    points,
    get point(): SealPoint {
      if (last === undefined) return (goesOn() ? begin?.seal : undefined) ?? { seq: 0, digest: '' }
      return { seq: sealedSeq, digest: digestOf(last) }
    },
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
