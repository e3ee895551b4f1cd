import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { errorCodeOf, errorMessageOf, Fault } from '../../fault.ts'
import { maxLineBytes } from '../line.ts'
import { parseManifest, statementOf, type ArchiveStatement } from './archive-manifest.ts'

/**
 * The lines in the bundle of this statement, in chunks, with bounded memory. Does not check them: `verifyBundle` does.
 * Rejects with ENOENT if the file does not exist.
 * @throws Fault `audit.unavailable` if it cannot be read
 */
export async function* linesOfBundle(
  path: string,
  expected: ArchiveStatement,
): AsyncGenerator<readonly Buffer[], void> {
  let isIdentified = false
  let rest = Buffer.alloc(0)
  try {
    const content = createGunzip()
    // The loop below gets the error as well.
    pipeline(createReadStream(path), content, () => undefined)
    for await (const piece of content as AsyncIterable<Buffer>) {
      const all = rest.length === 0 ? piece : Buffer.concat([rest, piece])
      const lines = wholeLines(all)
      rest = Buffer.from(all.subarray(lines.reduce((sum, line) => sum + line.length, 0)))
      if (rest.length > mostBytesOf(isIdentified)) throw new RangeError('a line of it is too long')
      if (!isIdentified && lines.length > 0) {
        const manifest = parseManifest(String(lines.shift()).trimEnd())
        if (manifest === undefined || statementOf(manifest.archive) !== statementOf(expected))
          throw new RangeError('it is another bundle')
        isIdentified = true
      }
      if (lines.length > 0) yield lines
    }
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') throw error
    throw new Fault(
      'audit.unavailable',
      `${path} cannot be read (${errorMessageOf(error)}): see "strongroom audit verify --archive ${path}".`,
      { cause: error },
    )
  }
}

/**
 * The longest line in bytes. The first line is the manifest with its proof, which may be longer than a line of the
 * trail.
 */
const mostBytesOf = (isIdentified: boolean): number => (isIdentified ? 1 : 16) * maxLineBytes

function wholeLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let start = 0, end = bytes.indexOf(10); end !== -1; start = end + 1, end = bytes.indexOf(10, start))
    lines.push(bytes.subarray(start, end + 1))
  return lines
}
