import { parseLine } from '../line.ts'
import { sealIn } from '../seal.ts'
import { chunksOfLines, listSegments } from '../segment.ts'
import { archiveSubject, type ArchiveStatement } from './archive-manifest.ts'

/**
 * The lines of the console's chain from the record of this archive to the first seal that covers it. Undefined if there
 * is no such seal yet, because the token does not answer.
 */
export async function findProof(
  directory: string,
  chain: string,
  archive: ArchiveStatement,
): Promise<readonly string[] | undefined> {
  const subject = JSON.stringify(archiveSubject(archive))
  const proof: string[] = []
  // The record was written just now, so it is in one of the last two files.
  for (const segment of ((await listSegments(directory)).get(chain) ?? []).slice(-2)) {
    for await (const lines of chunksOfLines(directory, segment))
      for (const raw of lines) {
        const text = raw.toString('latin1', 0, raw.length - 1)
        if (proof.length === 0 && !text.includes(`"subject":${subject}`)) continue
        proof.push(text)
        if ((sealIn(text)?.statement.covers.seq ?? 0) >= seqOf(proof[0])) return proof
      }
  }
  return undefined
}

const seqOf = (line: string | undefined): number => parseLine(line ?? '')?.seq ?? Infinity
