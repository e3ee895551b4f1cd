import { archivesFile } from './archive/archived-files.ts'
import type { ChainPoint } from '../hsm/audit-end.ts'
import { createFindings, type Findings, type LinePosition } from './audit-report.ts'
import { machineOf, type AbsentMachine } from './chain-machine.ts'
import type { ChainScan } from './chain-scan.ts'
import { successionsFile } from './trail-keys.ts'

/** A sealed record of a chain, and the position of the line that says so. */
interface Mention extends ChainPoint {
  readonly position: LinePosition
}

export const registry: LinePosition = { file: 'audit_heads', line: 0 }
export const archiveList: LinePosition = { file: archivesFile, line: 0 }
export const keyFile: LinePosition = { file: successionsFile, line: 0 }

/** Compares what seals, the registry and ended audit keys say about chains with what is read of those chains. */
export interface Mentions {
  hear(chain: string, point: ChainPoint, position: LinePosition): void
  /** Compares the mentions of a chain with the records read so far. */
  settle(scan: ChainScan): void
  awaits(scan: ChainScan): boolean
  /** Chains that were mentioned and have no files. */
  unread(): string[]
  /** Reports each mentioned record that was not found as missing, or its chain as one of an absent machine. */
  conclude(isExpected: (chain: string) => boolean): void
  findingsOf(chain: string): Findings
  /** Marks a chain as one of an absent machine. */
  leaveOut(chain: string): void
  readonly missing: ReadonlyMap<string, Findings>
  absent(): AbsentMachine[]
}

export function createMentions(scans: ReadonlyMap<string, ChainScan>): Mentions {
  const open = new Map<string, Mention[]>()
  const heard = new Map<string, string>()
  const missing = new Map<string, Findings>()
  const others = new Set<string>()

  function findingsOf(chain: string): Findings {
    const findings = scans.get(chain)?.findings ?? missing.get(chain) ?? createFindings()
    if (!scans.has(chain)) missing.set(chain, findings)
    return findings
  }

  /** True once the mention is settled. */
  function judge(scan: ChainScan, { seq, hash, position }: Mention): boolean {
    if (scan.sealedHash(seq) === hash) return true
    // Archived records are confirmed by the hash of the archive's last record.
    if (seq <= scan.startSeq) return true
    if (scan.sealedSeq < seq) return false
    const by = `line ${position.line} of ${position.file}`
    scan.findings.add('changed', scan.position, `Record ${seq} is missing, or not the one that was sealed: see ${by}.`)
    return true
  }

  function settle(scan: ChainScan): void {
    const waiting = (open.get(scan.chain) ?? []).filter((mention) => !judge(scan, mention))
    open.set(scan.chain, scan.finished ? furthest(waiting) : waiting)
  }

  function concludeChain(chain: string, { seq, position }: Mention, isExpected: (chain: string) => boolean): void {
    const scan = scans.get(chain)
    const by = position.line === 0 ? sourceOf(position) : `line ${position.line} of ${position.file}`
    if (scan !== undefined) {
      const end = `the chain ends with record ${scan.seq}`
      scan.findings.add('truncated', scan.position, `The seal of record ${seq}, which ${by} names, is missing; ${end}.`)
    } else if (isExpected(chain)) {
      findingsOf(chain).add(
        'missing chain',
        position,
        `No file of this chain is left, though ${by} names its record ${seq}.`,
      )
    } else others.add(chain)
  }

  return {
    hear(chain, { seq, hash }, position) {
      // Every seal of the other chains names an idle chain: one mention per file is enough.
      const key = `${position.file} ${chain}`
      if (heard.get(key) === hash) return
      heard.set(key, hash)
      const scan = scans.get(chain)
      const waiting = [...(open.get(chain) ?? []), { seq, hash, position }]
      open.set(chain, scan === undefined || scan.finished ? furthest(waiting) : waiting)
      if (scan !== undefined) settle(scan)
    },
    settle,
    awaits: (scan) => (open.get(scan.chain)?.length ?? 0) > 0,
    unread: () => [...open.keys()].filter((chain) => !scans.has(chain)),
    conclude(isExpected) {
      for (const [chain, [mention]] of open) if (mention !== undefined) concludeChain(chain, mention, isExpected)
    },
    findingsOf,
    leaveOut: (chain) => void others.add(chain),
    missing,
    absent() {
      const chains = [...others].toSorted()
      const machines = [...new Set(chains.map(machineOf))].toSorted()
      return machines.map((machine) => ({ machine, chains: chains.filter((chain) => machineOf(chain) === machine) }))
    },
  }
}

function sourceOf(position: LinePosition): string {
  if (position === registry) return 'the registry'
  return position === archiveList ? 'the list of archives' : 'the key that signed until then'
}

function furthest(mentions: readonly Mention[]): Mention[] {
  const [first, ...rest] = mentions
  return first === undefined ? [] : [rest.reduce((far, mention) => (mention.seq > far.seq ? mention : far), first)]
}
