import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCodeOf } from '../../fault.ts'
import { type ArchiveStatement, bundleName } from '../archive/archive-manifest.ts'
import { archivesFile, listArchived } from '../archive/archived-files.ts'
import { linesOfBundle } from '../archive/bundle-lines.ts'
import { seqOfLine } from '../line.ts'
import { chunksOf, listSegments, readLines, type Segment } from '../segment.ts'
import type { ReadPoint } from '../witness/head-reader.ts'
import { seekTime } from './time-seek.ts'

/** The folders of a trail. */
export interface TrailFolders {
  readonly directory: string
  /** Folders that may contain its bundles. */
  readonly archives: readonly string[]
}

/** Called with the archive of a bundle that is in none of the folders. */
export type OnMissing = (archive: ArchiveStatement) => void

/** The chains of a folder: those with files, and those of which only bundles are left. */
export async function chainsIn({ directory }: TrailFolders): Promise<ReadonlySet<string>> {
  const archived = await listArchived(directory)
  return new Set([...(await listSegments(directory)).keys(), ...archived.map(({ chain }) => chain)])
}

/**
 * The lines of one chain in chunks, from about `since` on, up to the file that is the last one at the start: first
 * those in bundles, then those in files. A file that is archived meanwhile is read from its bundle. Each line comes
 * once.
 */
export async function* linesOfChain(
  folders: TrailFolders,
  chain: string,
  since: number | undefined,
  onMissing: OnMissing,
): AsyncGenerator<readonly Buffer[], void> {
  const archived = createArchivedList(folders.directory, chain, since)
  const range = await despiteMoves(() => rangeOf(folders.directory, chain, since))
  let [nextFile, lastSeq] = [0, 0]
  for (;;) {
    const part = await despiteMoves(async () => openPart(folders, await archived(), range, nextFile, onMissing))
    if (part === undefined) return
    // Some files of a bundle may have been read before they were archived.
    const known = part.first < nextFile ? lastSeq : 0
    for await (const lines of part.lines) {
      const [last] = lines.slice(-1)
      if (last !== undefined) lastSeq = seqOfLine(last) ?? lastSeq
      yield known === 0 ? lines : lines.filter((line) => (seqOfLine(line) ?? Infinity) > known)
    }
    nextFile = part.last + 1
  }
}

/**
 * Creates a reader of one chain's archives, without those that end before `since`. It reads the list again when it
 * changes.
 */
function createArchivedList(directory: string, chain: string, since = -Infinity) {
  let [state, found]: [string, readonly ArchiveStatement[]] = ['', []]
  return async (): Promise<readonly ArchiveStatement[]> => {
    const { ino, size } = await stat(join(directory, archivesFile)).catch(() => ({ ino: 0, size: 0 }))
    if (state === `${ino} ${size}`) return found
    state = `${ino} ${size}`
    const all = await listArchived(directory)
    found = all.filter((one) => one.chain === chain && one.until >= since)
    return found
  }
}

/** The files of a chain that are to be read. */
interface FileRange {
  readonly chain: string
  readonly from: ReadPoint
  /** Files that a writer starts later are not read, so that the reading ends. */
  readonly last: number
}

async function rangeOf(directory: string, chain: string, since: number | undefined): Promise<FileRange> {
  const segments = (await listSegments(directory)).get(chain) ?? []
  const from = since === undefined ? { segment: 0, bytes: 0 } : await seekTime(directory, segments, since)
  return { chain, from, last: segments.at(-1)?.number ?? Infinity }
}

/** A file, or a bundle of several files. */
interface Part {
  readonly first: number
  readonly last: number
  readonly lines: AsyncIterable<readonly Buffer[]>
}

/** Opens the part with this file, or else the next part. Rejects with ENOENT for a file that was archived meanwhile. */
async function openPart(
  folders: TrailFolders,
  archived: readonly ArchiveStatement[],
  { chain, from, last }: FileRange,
  nextFile: number,
  onMissing: OnMissing,
): Promise<Part | undefined> {
  const segments = (await listSegments(folders.directory)).get(chain) ?? []
  const segment = segments.find(({ number }) => number >= Math.max(nextFile, from.segment) && number <= last)
  const [bundle] = archived
    .filter(({ files }) => files.last >= nextFile && files.first <= last)
    .toSorted((a, b) => a.files.first - b.files.first)
  if (bundle !== undefined && (segment?.number ?? Infinity) > Math.max(bundle.files.first, nextFile))
    return { ...bundle.files, lines: bundleLines(folders, bundle, onMissing) }
  return segment && { first: segment.number, last: segment.number, lines: await fileLines(folders, segment, from) }
}

async function fileLines({ directory }: TrailFolders, segment: Segment, from: ReadPoint) {
  return chunksOf(await readLines(directory, segment, segment.number === from.segment ? from.bytes : 0))
}

function bundleLines({ archives }: TrailFolders, archive: ArchiveStatement, onMissing: OnMissing): Part['lines'] {
  const path = archives.map((folder) => join(folder, bundleName(archive))).find((one) => existsSync(one))
  if (path !== undefined) return linesOfBundle(path, archive)
  onMissing(archive)
  return nothing()
}

async function* nothing(): AsyncGenerator<never, void> {
  // A missing bundle has no lines.
}

/** Tries again if a file was archived after it was listed and before it was opened. */
async function despiteMoves<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await work()
    } catch (error) {
      if (errorCodeOf(error) !== 'ENOENT' || tries === mostTries) throw error
    }
}

const mostTries = 5
