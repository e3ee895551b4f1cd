import { setTimeout as sleep } from 'node:timers/promises'
import { createChainScan, type ChainScan } from './chain-scan.ts'
import { createFindings, type AuditReport, type ChainReport, type Findings, type LinePosition } from './audit-report.ts'
import type { ChainPoint } from '../hsm/audit-end.ts'
import { readSuccessions, successionsFile } from './trail-keys.ts'
import { createSealVerifier, isGenuine, type SealedHead } from './seal.ts'
import { listSegments } from './segment.ts'
import { createWitnessComparison } from './witness/comparison.ts'
import type { WitnessedHead } from './witness/witness-file.ts'

export interface VerifyOptions {
  readonly directory: string
  /**
   * DER SubjectPublicKeyInfo of a key that sealed: from a copy out of reach of those who can change the trail. The
   * newest is the best.
   */
  readonly publicKey: Buffer
  /** What the registry holds, read before this call: with it, the last sealed record of every chain is known. */
  readonly heads?: ReadonlyMap<string, SealedHead>
  /** What a witness outside the machine knows, read before this call. */
  readonly witnessed?: readonly WitnessedHead[]
  /** Called with each event, of all chains. */
  readonly onEvent?: ((body: string, position: LinePosition) => void) | undefined
  /** Called after each chunk with the bytes read so far. */
  readonly progress?: (bytes: number) => void
}

/**
 * Checks a whole trail, also while it is being written, and needs no secret. All chains are read side by side in the
 * order of time, so that what one says of another is compared on the way and memory does not grow with the trail.
 * Rejects as the file system does when a file cannot be read.
 */
export async function verifyTrail(options: VerifyOptions): Promise<AuditReport> {
  const { directory, publicKey, heads, witnessed, progress } = options
  const comparison = witnessed === undefined ? undefined : createWitnessComparison(witnessed)
  const verifier = createSealVerifier({ publicKey, successions: await readSuccessions(directory) })
  const scans = new Map<string, ChainScan>()
  const witnesses = createWitnesses(scans)
  let reading = true
  // Once every chain was read, a trail that is still being written would go on naming new heads without end.
  const onWitness = (chain: string, point: ChainPoint, position: LinePosition): void => {
    if (reading) witnesses.hear(chain, point, position)
  }
  for (const chain of (await listSegments(directory)).keys()) {
    scans.set(
      chain,
      createChainScan({ directory, chain, verifier, onWitness, onSeal: comparison?.seal, onEvent: options.onEvent }),
    )
  }
  try {
    for (const [chain, point] of verifier.ends) witnesses.hear(chain, point, keyFile)
    for (const [chain, head] of heads ?? []) {
      if (isGenuine(chain, head, verifier)) witnesses.hear(chain, head, registry)
      else
        witnesses.findingsOf(chain).add('bad signature', registry, 'The registry holds a head that no seal confirms.')
    }
    let bytes = 0
    for (let scan = earliest(scans); scan !== undefined; scan = earliest(scans)) {
      bytes += await scan.step()
      witnesses.settle(scan)
      progress?.(bytes)
    }
    reading = false
    await catchUp(scans, witnesses)
    witnesses.conclude()
    comparison?.conclude(
      (chain) => scans.get(chain),
      (chain, kind, position, detail) => witnesses.findingsOf(chain).add(kind, position, detail),
    )
    return reportOf(scans, witnesses)
  } finally {
    for (const scan of scans.values()) await scan.close()
  }
}

const registry: LinePosition = { file: 'audit_heads', line: 0 }
const keyFile: LinePosition = { file: successionsFile, line: 0 }

function earliest(scans: ReadonlyMap<string, ChainScan>): ChainScan | undefined {
  let found: ChainScan | undefined
  for (const scan of scans.values()) {
    if (!scan.finished && (found === undefined || scan.at < found.at)) found = scan
  }
  return found
}

// A process that is writing puts its seal on the disk before any other can name it, and a line in one go: what was
// missing when this chain was read is there by now, or was never there.
async function catchUp(scans: ReadonlyMap<string, ChainScan>, witnesses: Witnesses): Promise<void> {
  for (const scan of scans.values()) {
    const wanting = () => scan.torn || witnesses.awaits(scan)
    for (let tries = 0; tries < 3 && wanting(); tries += 1) {
      if (scan.torn) await sleep(20)
      await scan.resume()
      while (!scan.finished && wanting()) {
        await scan.step()
        witnesses.settle(scan)
      }
    }
    if (scan.torn) scan.findings.add('torn', scan.position, 'The chain ends within a line after this one.')
  }
}

interface Mention extends ChainPoint {
  readonly position: LinePosition
}

interface Witnesses {
  hear(chain: string, point: ChainPoint, position: LinePosition): void
  /** Compares what other chains said of a chain with what was read of it. */
  settle(scan: ChainScan): void
  awaits(scan: ChainScan): boolean
  /** What was mentioned and not found by now is missing. */
  conclude(): void
  findingsOf(chain: string): Findings
  readonly missing: ReadonlyMap<string, Findings>
}

function createWitnesses(scans: ReadonlyMap<string, ChainScan>): Witnesses {
  const open = new Map<string, Mention[]>()
  const heard = new Map<string, string>()
  const missing = new Map<string, Findings>()

  function findingsOf(chain: string): Findings {
    const findings = scans.get(chain)?.findings ?? missing.get(chain) ?? createFindings()
    if (!scans.has(chain)) missing.set(chain, findings)
    return findings
  }

  /** True when the mention needs no more waiting. */
  function judge(scan: ChainScan, { seq, hash, position }: Mention): boolean {
    if (scan.sealedHash(seq) === hash) return true
    if (scan.sealedSeq < seq) return false
    const by = `line ${position.line} of ${position.file}`
    scan.findings.add('changed', scan.position, `Record ${seq} is missing, or not the one that was sealed: see ${by}.`)
    return true
  }

  function settle(scan: ChainScan): void {
    const waiting = (open.get(scan.chain) ?? []).filter((mention) => !judge(scan, mention))
    open.set(scan.chain, scan.finished ? furthest(waiting) : waiting)
  }

  return {
    hear(chain, { seq, hash }, position) {
      // An idle chain is named by every seal of the others; once for each of their files is enough.
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
    conclude() {
      for (const [chain, [mention]] of open) {
        if (mention === undefined) continue
        const by =
          mention.position.line === 0
            ? sourceOf(mention.position)
            : `line ${mention.position.line} of ${mention.position.file}`
        const scan = scans.get(chain)
        if (scan === undefined) {
          const detail = `No file of this chain is left, though ${by} names its record ${mention.seq}.`
          findingsOf(chain).add('missing chain', mention.position, detail)
        } else {
          const detail = `The seal of record ${mention.seq}, which ${by} names, is missing; the chain ends with record ${scan.seq}.`
          scan.findings.add('truncated', scan.position, detail)
        }
      }
    },
    findingsOf,
    missing,
  }
}

const sourceOf = (position: LinePosition): string =>
  position === registry ? 'the registry' : 'the key that signed until then'

function furthest(mentions: readonly Mention[]): Mention[] {
  const [first, ...rest] = mentions
  return first === undefined ? [] : [rest.reduce((far, mention) => (mention.seq > far.seq ? mention : far), first)]
}

function reportOf(scans: ReadonlyMap<string, ChainScan>, { missing }: Witnesses): AuditReport {
  const chains: ChainReport[] = [...scans.values()].map((scan) => scan.report())
  const nothing = { records: 0, seals: 0, sealedSeq: 0, unsealed: 0 }
  for (const [chain, { kept, more }] of missing) chains.push({ chain, ...nothing, findings: kept, moreFindings: more })
  chains.sort((a, b) => a.chain.localeCompare(b.chain))
  return { sound: chains.every(({ findings }) => findings.length === 0), chains }
}
