import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditReport, ChainReport, LinePosition } from './audit-report.ts'
import { readArchived } from './archive/archived-files.ts'
import type { ArchiveStatement } from './archive/archive-manifest.ts'
import { createPresence, type OwnMachine } from './chain-machine.ts'
import { createChainScan, type ChainScan } from './chain-scan.ts'
import type { ChainPoint } from '../hsm/audit-end.ts'
import { archiveList, createMentions, keyFile, registry, type Mentions } from './mentions.ts'
import { createSealVerifier, isGenuine, type Seal, type SealedHead, type SealVerifier } from './seal.ts'
import { listSegments } from './segment.ts'
import { readSuccessions } from './trail-keys.ts'
import { createWitnessComparison, type WitnessComparison } from './witness/comparison.ts'
import type { WitnessedHead } from './witness/witness-file.ts'

export interface VerifyOptions {
  /** The folder of a trail, or the folders of several machines, no two of which may contain the same chain. */
  readonly directory: string | readonly string[]
  /**
   * A key of the trail as DER SubjectPublicKeyInfo, preferably the newest. It must be a copy that cannot be changed by
   * anyone who can change the trail.
   */
  readonly publicKey: Buffer
  /** The heads in the registry, read before this call. They give the last sealed record of every chain. */
  readonly heads?: ReadonlyMap<string, SealedHead>
  /** The machine whose trail must be here; read after the registry. */
  readonly own?: OwnMachine | undefined
  /** Whether the trails of all machines must be here. */
  readonly isAll?: boolean
  /** The heads that a witness outside the machine knows, read before this call. */
  readonly witnessed?: readonly WitnessedHead[]
  /** Called with each event of all chains. */
  readonly onEvent?: ((body: string, position: LinePosition) => void) | undefined
  /** Called after each chunk with the bytes read so far. */
  readonly progress?: (bytes: number) => void
}

/** The folder of one chain, and the verifier for its seals. */
interface ChainSource {
  readonly directory: string
  readonly chain: string
  readonly verifier: SealVerifier
  readonly archived: ArchiveStatement | undefined
}

/**
 * Verifies whole trails, even while they are being written, without any secret. Reads all chains in parallel in the
 * order of time, so that it can compare mentions of other chains as it reads, with bounded memory. Rejects with the
 * errors of the file system.
 */
export async function verifyTrail(options: VerifyOptions): Promise<AuditReport> {
  const { heads = new Map<string, SealedHead>(), own, isAll = false, witnessed, progress } = options
  const comparison = witnessed === undefined ? undefined : createWitnessComparison(witnessed)
  const { sources, verifiers, archives } = await chainSources(options)
  const chains = sources.map(({ chain }) => chain)
  const archivedChains = archives.map(({ chain }) => chain)
  const presence = createPresence({ chains: [...chains, ...archivedChains], own, heads, verifiers, isAll })
  const scans = new Map<string, ChainScan>()
  const mentions = createMentions(scans)
  let reading = true
  // After every chain was read once, mentions are ignored: a trail that is being written would name new heads without
  // end.
  const onMention = (chain: string, point: ChainPoint, position: LinePosition): void => {
    if (reading) mentions.hear(chain, point, position)
  }
  const onSeal = (seal: Seal): void => {
    presence.see(seal.statement.machine)
    comparison?.seal(seal)
  }
  for (const source of sources)
    scans.set(source.chain, createChainScan({ ...source, onMention, onSeal, onEvent: options.onEvent }))
  try {
    for (const [chain, point] of verifiers.flatMap(({ ends }) => ends)) mentions.hear(chain, point, keyFile)
    for (const { chain, last } of archives) if (!chains.includes(chain)) mentions.hear(chain, last, archiveList)
    for (const [chain, head] of heads) {
      if (!verifiers.some((one) => isGenuine(chain, head, one)))
        mentions.findingsOf(chain).add('bad signature', registry, 'The registry holds a head that no seal confirms.')
      else if (presence.isOfAnother(chain, head)) mentions.leaveOut(chain)
      else mentions.hear(chain, head, registry)
    }
    let bytes = 0
    for (let scan = earliest(scans); scan !== undefined; scan = earliest(scans)) {
      bytes += await scan.step()
      mentions.settle(scan)
      progress?.(bytes)
    }
    reading = false
    await catchUp(scans, mentions)
    await presence.ask([...mentions.unread(), ...(witnessed ?? []).map(({ chain }) => chain)])
    mentions.conclude(presence.isExpected)
    if (comparison) concludeWitness(comparison, scans, mentions, presence.isExpected)
    return { ...reportOf(scans, mentions), archived: archives }
  } finally {
    for (const scan of scans.values()) await scan.close()
  }
}

/**
 * Reads the chains, keys and archives of each folder. Machines that share a token change to the next key at different
 * times, so each folder has its own keys.
 */
async function chainSources({ directory, publicKey }: VerifyOptions) {
  const sources: ChainSource[] = []
  const verifiers: SealVerifier[] = []
  const archives: ArchiveStatement[] = []
  for (const one of [directory].flat()) {
    const verifier = createSealVerifier({ publicKey, successions: await readSuccessions(one) })
    verifiers.push(verifier)
    const archived = await readArchived(one, verifier)
    archives.push(...archived.values())
    for (const chain of (await listSegments(one)).keys())
      sources.push({ directory: one, chain, verifier, archived: archived.get(chain) })
  }
  return { sources, verifiers, archives }
}

function earliest(scans: ReadonlyMap<string, ChainScan>): ChainScan | undefined {
  let found: ChainScan | undefined
  for (const scan of scans.values()) {
    if (!scan.finished && (found === undefined || scan.at < found.at)) found = scan
  }
  return found
}

// A writer puts its seal on the disk before other chains can name it, and writes each line in one step. So a record
// that was missing when its chain was read is there by now, or never was.
async function catchUp(scans: ReadonlyMap<string, ChainScan>, mentions: Mentions): Promise<void> {
  for (const scan of scans.values()) {
    const wanting = () => scan.torn || mentions.awaits(scan)
    for (let tries = 0; tries < 3 && wanting(); tries += 1) {
      if (scan.torn) await sleep(20)
      await scan.resume()
      while (!scan.finished && wanting()) {
        await scan.step()
        mentions.settle(scan)
      }
    }
    if (scan.torn) scan.findings.add('torn', scan.position, 'The chain ends within a line after this one.')
  }
}

function concludeWitness(
  comparison: WitnessComparison,
  scans: ReadonlyMap<string, ChainScan>,
  mentions: Mentions,
  isExpected: (chain: string) => boolean,
): void {
  comparison.conclude(
    (chain) => scans.get(chain),
    (chain, kind, position, detail) => {
      if (scans.has(chain) || isExpected(chain)) mentions.findingsOf(chain).add(kind, position, detail)
      else mentions.leaveOut(chain)
    },
  )
}

function reportOf(scans: ReadonlyMap<string, ChainScan>, mentions: Mentions): Omit<AuditReport, 'archived'> {
  const chains: ChainReport[] = [...scans.values()].map((scan) => scan.report())
  const nothing = { records: 0, seals: 0, sealedSeq: 0, unsealed: 0 }
  for (const [chain, { kept, more }] of mentions.missing)
    chains.push({ chain, ...nothing, findings: kept, moreFindings: more })
  chains.sort((a, b) => a.chain.localeCompare(b.chain))
  return { sound: chains.every(({ findings }) => findings.length === 0), chains, absent: mentions.absent() }
}
