import type { ArchiveStatement } from './archive/archive-manifest.ts'
import { createChainCheck, type ChainCheckOptions } from './chain-check.ts'
import { createFindings, type ChainReport, type Findings, type LinePosition } from './audit-report.ts'
import { listSegments, readLines, segmentOf, type LineReader, type Segment } from './segment.ts'

/** Reads one chain from its first line to its last, in chunks, and collects its findings. */
export interface ChainScan {
  readonly chain: string
  /** The time of the last event read, in milliseconds since the Unix epoch. */
  readonly at: number
  readonly finished: boolean
  /** True if the file ends within a line. */
  readonly torn: boolean
  readonly position: LinePosition
  readonly seq: number
  readonly sealedSeq: number
  /** Records up to this number are only in the archive. */
  readonly startSeq: number
  readonly findings: Findings
  /** The hash of a record that a seal of this chain covers; undefined for any other. */
  sealedHash(seq: number): string | undefined
  /** Reads the next chunk; resolves to the number of bytes read. */
  step(): Promise<number>
  /** Continues a finished scan with the lines written since. */
  resume(): Promise<void>
  report(): ChainReport
  close(): Promise<void>
}

export interface ChainScanOptions extends ChainCheckOptions {
  readonly directory: string
  /** The latest archive of the chain. */
  readonly archived?: ArchiveStatement | undefined
}

export function createChainScan(options: ChainScanOptions): ChainScan {
  const { directory, chain, archived } = options
  const findings = createFindings()
  const begin = archived && { point: archived.last, seal: archived.sealLast }
  const checker = createChainCheck({ ...options, begin }, findings)
  let reader: LineReader | undefined
  let [segment, line, announced] = [0, 0, 0]
  let finished = false

  // A file is complete only once the next one exists, so it is read once more after that one was found.
  async function turn(): Promise<void> {
    const next = ((await listSegments(directory)).get(chain) ?? []).find(({ number }) => number > segment)
    if (next === undefined) finished = true
    else if (announced === next.number) await turnTo(next)
    else announced = next.number
    await reader?.look()
  }

  async function turnTo(next: Segment): Promise<void> {
    if (reader?.partial === true) findings.add('changed', position(), 'This file ends within a line after this one.')
    noteMissing(findings, chain, Math.max(segment, archived?.files.last ?? 0) + 1, next.number - 1)
    await reader?.close()
    reader = await readLines(directory, next)
    segment = next.number
    line = 0
  }

  const position = (): LinePosition => ({ file: segmentOf(chain, segment).name, line })

  return {
    chain,
    findings,
    get at() {
      return checker.at
    },
    get finished() {
      return finished
    },
    get torn() {
      return reader?.partial ?? false
    },
    get position() {
      return position()
    },
    get seq() {
      return checker.seq
    },
    get sealedSeq() {
      return checker.sealedSeq
    },
    get startSeq() {
      return checker.startSeq
    },
    sealedHash: (seq) => checker.sealedHash(seq),
    async step() {
      let bytes = 0
      for (const raw of (await reader?.next()) ?? []) {
        line += 1
        bytes += raw.length
        checker.check(raw, position())
      }
      if (bytes === 0) await turn()
      return bytes
    },
    async resume() {
      finished = false
      await reader?.look()
    },
    report: () => ({ chain, ...checker.counts(), findings: findings.kept, moreFindings: findings.more }),
    close: async () => reader?.close(),
  }
}

/** As one finding: code in a worker may make a file with a high number. */
function noteMissing(findings: Findings, chain: string, first: number, last: number): void {
  if (first > last) return
  const others = first === last ? '' : `, and those up to ${segmentOf(chain, last).name}`
  const position = { file: segmentOf(chain, first).name, line: 0 }
  findings.add('removed', position, `This file of the chain is missing${others}.`)
}
