import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip, gzipSync } from 'node:zlib'
import { errorMessageOf } from '../../fault.ts'
import { createFindings, type Finding } from '../audit-report.ts'
import { createChainCheck, type ChainBegin } from '../chain-check.ts'
import { genesis, maxLineBytes } from '../line.ts'
import type { SealVerifier } from '../seal.ts'
import type { Segment } from '../segment.ts'
import { replaceFile } from './archived-files.ts'
import {
  isProven,
  manifestLine,
  parseManifest,
  statementOf,
  type ArchiveManifest,
  type ArchiveStatement,
} from './archive-manifest.ts'

/** The result of compressing whole files of a chain into a file that has no manifest yet. */
export interface BundleContent {
  readonly statement: ArchiveStatement
  readonly findings: readonly Finding[]
}

/** Checks and describes lines of one chain. `begin` is set if they do not start with the chain's first line. */
function createLineReader(chain: string, verifier: SealVerifier, begin: ChainBegin | undefined) {
  const findings = createFindings()
  let until = 0
  let line = 0
  let bytes = 0
  const hash = createHash('sha256')
  const check = createChainCheck(
    {
      chain,
      verifier,
      begin,
      onMention: () => undefined,
      onEvent: (body) => (until = Math.max(until, Number(/^"at":(\d+),/.exec(body)?.[1] ?? 0))),
    },
    findings,
  )
  let rest = Buffer.alloc(0)

  return {
    findings,
    /** Takes the next bytes of the files. */
    read(piece: Buffer): void {
      hash.update(piece)
      bytes += piece.length
      const all = rest.length === 0 ? piece : Buffer.concat([rest, piece])
      let start = 0
      for (let end = all.indexOf(10); end !== -1; end = all.indexOf(10, start)) {
        line += 1
        check.check(all.subarray(start, end + 1), { file: chain, line })
        start = end + 1
      }
      rest = Buffer.from(all.subarray(start))
      if (rest.length > maxLineBytes) throw new RangeError('a line of the archive is too long')
    },
    finish: (before: ArchiveStatement['before'], sealBefore: ArchiveStatement['sealBefore']) => {
      if (rest.length > 0) findings.add('torn', { file: chain, line }, 'It ends within a line after this one.')
      const { records } = check.counts()
      const last = check.end
      return {
        chain,
        before,
        last,
        sealBefore,
        sealLast: check.sealPoint,
        records,
        until,
        bytes,
        sha256: hash.digest('hex'),
      }
    },
  }
}

/** Compresses the files into `path`, flushed to the disk, and checks every line. */
export async function writeContent(
  path: string,
  directory: string,
  segments: readonly Segment[],
  verifier: SealVerifier,
  begin: ChainBegin | undefined,
): Promise<BundleContent> {
  const [chain, first, last] = [segments[0]?.chain ?? '', segments[0]?.number ?? 0, segments.at(-1)?.number ?? 0]
  const reader = createLineReader(chain, verifier, begin)
  async function* contents(): AsyncGenerator<Buffer, void> {
    for (const { name } of segments)
      for await (const piece of createReadStream(join(directory, name)) as AsyncIterable<Buffer>) {
        reader.read(piece)
        yield piece
      }
  }
  await pipeline(contents(), createGzip(), createWriteStream(path, { mode: 0o600, flush: true }))
  const found = reader.finish(begin?.point ?? genesis(chain), begin?.seal ?? { seq: 0, digest: '' })
  return { statement: { ...found, files: { first, last } }, findings: reader.findings.kept }
}

/**
 * Writes a bundle: the manifest as a gzip member of its own (RFC 1952 §2.2), which `zcat` shows as the first line, then
 * the content. The file gets its name once all of it is on the disk.
 */
export async function writeBundle(path: string, content: string, manifest: ArchiveManifest): Promise<void> {
  await replaceFile(path, async (file) => {
    await file.appendFile(gzipSync(manifestLine(manifest)))
    for await (const piece of createReadStream(content) as AsyncIterable<Buffer>) await file.appendFile(piece)
  })
}

export interface BundleReport {
  readonly archive: ArchiveStatement | undefined
  /** One sentence for each fault; empty if the bundle is intact. */
  readonly faults: readonly string[]
}

/** Verifies a bundle by itself: its proof, each line and seal in it, and that the lines are those of the statement. */
export async function verifyBundle(
  path: string,
  verifierFor: (successions: readonly string[]) => SealVerifier,
): Promise<BundleReport> {
  let reader: ReturnType<typeof createLineReader> | undefined
  let manifest: ArchiveManifest | undefined
  let head = Buffer.alloc(0)
  const read = (piece: Buffer): void => {
    if (reader !== undefined) return reader.read(piece)
    head = Buffer.concat([head, piece])
    const end = head.indexOf(10)
    if (end === -1 && head.length <= 16 * maxLineBytes) return
    manifest = parseManifest(head.toString('utf8', 0, end))
    if (manifest === undefined) throw new RangeError('its first line is not a manifest')
    const { chain, before, sealBefore } = manifest.archive
    reader = createLineReader(chain, verifierFor(manifest.successions), { point: before, seal: sealBefore })
    reader.read(head.subarray(end + 1))
  }
  try {
    await pipeline(createReadStream(path), createGunzip(), async (source: AsyncIterable<Buffer>) => {
      for await (const piece of source) read(piece)
    })
  } catch (error) {
    return {
      archive: manifest?.archive,
      faults: [`It cannot be read: ${errorMessageOf(error)}.`],
    }
  }
  if (manifest === undefined || reader === undefined) return { archive: undefined, faults: ['It holds no manifest.'] }
  const { archive, successions } = manifest
  const found = { ...reader.finish(archive.before, archive.sealBefore), files: archive.files }
  const faults = [
    ...(isProven(manifest, verifierFor(successions)) ? [] : ['No seal of the trail proves its manifest by this key.']),
    ...(statementOf(found) === statementOf(archive) ? [] : ['Its lines are not those of its manifest.']),
    ...reader.findings.kept.map(({ kind, line, detail }) => `${kind}, line ${line}: ${detail}`),
  ]
  return { archive, faults }
}
