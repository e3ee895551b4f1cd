import type { ChainPoint } from '../../hsm/audit-end.ts'
import { parseLine, sha256 } from '../line.ts'
import { parseSeal, type SealVerifier } from '../seal.ts'

/**
 * The last seal up to some point of a chain: the last record that it covers, and the SHA-256 of its signature (empty
 * before the first seal).
 */
export interface SealPoint {
  readonly seq: number
  readonly digest: string
}

/** Describes an archive: whole files of one chain that were moved out of a trail. */
export interface ArchiveStatement {
  readonly chain: string
  /** The numbers of the first and last file. */
  readonly files: { readonly first: number; readonly last: number }
  /** The record before the first archived one, and the last archived one. */
  readonly before: ChainPoint
  readonly last: ChainPoint
  /** The same for seals. */
  readonly sealBefore: SealPoint
  readonly sealLast: SealPoint
  /** Number of events, without seals. */
  readonly records: number
  /** The time of the latest event, in milliseconds since the Unix epoch. */
  readonly until: number
  /** Size and hash (hex) of the files' contents, uncompressed. */
  readonly bytes: number
  readonly sha256: string
}

/**
 * A statement, and the proof that the keeper signed it: the first line of the bundle, also kept in the folder of the
 * trail.
 */
export interface ArchiveManifest {
  readonly archive: ArchiveStatement
  /**
   * Lines of the console's chain, from the record that names the statement's hash to a seal that covers it. So the
   * proof needs no signature but those of the trail, and each archive is recorded in the trail.
   */
  readonly proof: readonly string[]
  /** PEM of the audit key, for an operator who has only the bundle and compares the key with a copy of their own. */
  readonly publicKey: string
  /** Lines of `audit-keys.jsonl`. */
  readonly successions: readonly string[]
}

/** The audited operation, without its prefix `console.`. */
export const archiveOperation = 'audit.archive'

const point = ({ seq, hash }: ChainPoint): ChainPoint => ({ seq, hash })
const seal = ({ seq, digest }: SealPoint): SealPoint => ({ seq, digest })

/** The JSON whose hash the trail records: members in a fixed order. */
export function statementOf(archive: ArchiveStatement): string {
  const { chain, files, before, last, sealBefore, sealLast, records, until, bytes } = archive
  return JSON.stringify({
    chain,
    files: { first: files.first, last: files.last },
    before: point(before),
    last: point(last),
    sealBefore: seal(sealBefore),
    sealLast: seal(sealLast),
    records,
    until,
    bytes,
    sha256: archive.sha256,
  })
}

/** The target of the record of an archive. */
export function archiveSubject(archive: ArchiveStatement): string {
  const { chain, files, before, last } = archive
  const hash = sha256(statementOf(archive))
  return `${chain}, files ${files.first} to ${files.last}, records ${before.seq + 1} to ${last.seq}, statement ${hash}`
}

/** The file name that `strongroom audit archive` gives to a bundle. */
export const bundleName = ({ chain, files }: Pick<ArchiveStatement, 'chain' | 'files'>): string =>
  `${chain}.${String(files.first).padStart(6, '0')}-${String(files.last).padStart(6, '0')}.jsonl.gz`

export function manifestLine({ archive, proof, publicKey, successions }: ArchiveManifest): string {
  return `{"archive":${statementOf(archive)},"proof":${JSON.stringify(proof)},"publicKey":${JSON.stringify(publicKey)},"successions":${JSON.stringify(successions)}}\n`
}

/** Parses a manifest; undefined for any other line. Does not check its proof. */
export function parseManifest(line: string): ArchiveManifest | undefined {
  try {
    const manifest: ArchiveManifest = JSON.parse(line)
    return manifestLine(manifest) === `${line}\n` ? manifest : undefined
  } catch {
    return undefined
  }
}

/** Whether a seal of the trail covers the record that names this statement. */
export function isProven({ archive, proof }: ArchiveManifest, verifier: SealVerifier): boolean {
  const lines = proof.map(parseLine)
  const [first] = lines
  const hashes = proof.map((line) => sha256(`${line}\n`))
  const isLinked = lines.every(
    (line, at) => line?.chain === first?.chain && (at === 0 || line?.prev === hashes[at - 1]),
  )
  const last = lines.at(-1)
  const found = last?.type === 'seal' ? parseSeal(last.body) : undefined
  if (first?.type !== 'event' || !isLinked || found === undefined || !isConsole(first.chain)) return false
  const { covers, chain } = found.statement
  // `parseLine` has checked that the line is JSON.
  const { operation, outcome, subject }: Record<string, unknown> = JSON.parse(proof[0] ?? '{}')
  const isNamed =
    operation === `console.${archiveOperation}` && outcome === 'allowed' && subject === archiveSubject(archive)
  const isCovered = chain === first.chain && hashes[covers.seq - first.seq] === covers.hash
  return isNamed && isCovered && verifier.verifies(found)
}

const isConsole = (chain: string): boolean => /^(?:[a-z][a-z0-9]{0,15}-)?console$/.test(chain)

/** Records of a chain that are between two archives and in none of them. */
export interface ArchiveGap {
  readonly chain: string
  readonly first: number
  readonly last: number
}

export function gapsBetween(archives: readonly Pick<ArchiveStatement, 'chain' | 'before' | 'last'>[]): ArchiveGap[] {
  const ends = new Map<string, number>()
  const gaps: ArchiveGap[] = []
  for (const { chain, before, last } of archives.toSorted((one, other) => one.before.seq - other.before.seq)) {
    const end = ends.get(chain) ?? before.seq
    if (before.seq > end) gaps.push({ chain, first: end + 1, last: before.seq })
    ends.set(chain, Math.max(end, last.seq))
  }
  return gaps
}
