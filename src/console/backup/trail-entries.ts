import { basename, join } from 'node:path'
import { chunksOfLines, listSegments, type Segment } from '../../audit/segment.ts'
import { sealIn } from '../../audit/seal.ts'
import type { TarEntry } from '../../backup/tar.ts'
import { entryFolders } from './appliance-places.ts'
import { diskEntry, filesBelow } from './file-entries.ts'

/**
 * The audit trail up to the records in `signed`, the last record of each chain that the keeper's copy has signed. After
 * a restore a later seal would not continue from the keeper's last one, so each chain is cut before it. All records
 * before that seal are taken, even unsealed ones.
 */
export async function* trailEntries(directory: string, signed: ReadonlyMap<string, number>): AsyncGenerator<TarEntry> {
  const chains = await listSegments(directory)
  const named = new Set([...chains.values()].flat().map(({ name }) => name))
  for (const [chain, segments] of chains) yield* chainEntries(directory, segments, signed.get(chain) ?? 0)
  for (const name of others(directory, named)) yield diskEntry(`${entryFolders.trail}/${name}`, join(directory, name))
}

async function* chainEntries(
  directory: string,
  segments: readonly Segment[],
  signedSeq: number,
): AsyncGenerator<TarEntry> {
  for (const segment of segments) {
    const { bytes, isCut } = await goodBytes(directory, segment, signedSeq)
    yield diskEntry(`${entryFolders.trail}/${segment.name}`, join(directory, segment.name), bytes)
    if (isCut) return
  }
}

/** The length up to the first seal that the keeper's copy does not know, or up to the last whole line. */
async function goodBytes(
  directory: string,
  segment: Segment,
  signedSeq: number,
): Promise<{ readonly bytes: number; readonly isCut: boolean }> {
  let bytes = 0
  for await (const lines of chunksOfLines(directory, segment))
    for (const line of lines) {
      if (coveredBy(line) > signedSeq) return { bytes, isCut: true }
      bytes += line.length
    }
  return { bytes, isCut: false }
}

const sealMark = Buffer.from('"type":"seal"')

/** The record that the seal in this line covers; 0 for any other line. */
function coveredBy(line: Buffer): number {
  // Quotes inside text are escaped, so no event contains this mark.
  if (!line.includes(sealMark)) return 0
  return sealIn(line.toString('latin1', 0, line.length - 1))?.statement.covers.seq ?? 0
}

/** The other files of the folder (public keys, successions, bundles, states of witnesses), without locks and drafts. */
const others = (directory: string, segments: ReadonlySet<string>): string[] =>
  filesBelow(directory).filter((name) => !/\.lock(?:\.|$)|\.pem\./.test(basename(name)) && !segments.has(name))
