import { parseLine } from '../line.ts'
import { parseSeal } from '../seal.ts'
import { listSegments, readLines } from '../segment.ts'
import { archiveSubject, type ArchiveStatement } from './archive-manifest.ts'

/**
 * The lines of the console's chain from the record of this archive to the first seal that covers it; undefined where there is
 * none yet, because the token is away.
 */
export async function findProof(
  directory: string,
  chain: string,
  archive: ArchiveStatement,
): Promise<readonly string[] | undefined> {
  const subject = JSON.stringify(archiveSubject(archive))
  const proof: string[] = []
  // The record was written a moment ago.
  for (const segment of ((await listSegments(directory)).get(chain) ?? []).slice(-2)) {
    const reader = await readLines(directory, segment)
    try {
      for (let lines = await reader.next(); lines.length > 0; lines = await reader.next())
        for (const raw of lines) {
          const text = raw.toString('latin1', 0, raw.length - 1)
          if (proof.length === 0 && !text.includes(`"subject":${subject}`)) continue
          proof.push(text)
          if (coversFrom(text) >= seqOf(proof[0])) return proof
        }
    } finally {
      await reader.close()
    }
  }
  return undefined
}

const seqOf = (line: string | undefined): number => parseLine(line ?? '')?.seq ?? Infinity

function coversFrom(text: string): number {
  const line = parseLine(text)
  return line?.type === 'seal' ? (parseSeal(line.body)?.statement.covers.seq ?? 0) : 0
}
