import { appendFile, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChainEnd } from './chain-file.ts'
import type { ChainPoint, SignedEnd } from '../hsm/audit-end.ts'
import { genesis, parseLine, sha256 } from './line.ts'
import { parseSeal } from './seal.ts'
import { chunksOfLines, listSegments, type Segment } from './segment.ts'

/** The state in which a process finds a chain when it opens it. */
export interface FoundChain {
  readonly end: ChainEnd
  /** Number of events after the record that the last seal covers. */
  readonly unsealed: number
  /** Bytes of an unfinished line that a crash left at the end; they are moved to `tornFile`. */
  readonly tornBytes: number
  readonly tornFile: string
  /** The last seal in the chain. Its signature is not checked. */
  readonly lastSeal: SignedEnd | undefined
  /** The record with the sequence number `askedSeq`; undefined if the chain does not contain it. */
  readonly asked: ChainPoint | undefined
}

/**
 * Finds the last whole line of a chain. Moves an unfinished line after it, which a crash left, to `<file>.torn`, so
 * that no data is lost. Does not check the chain: `verifyTrail` does. Rejects with the errors of the file system.
 */
export async function findChainEnd(directory: string, chain: string, askedSeq: number): Promise<FoundChain> {
  const segments = (await listSegments(directory)).get(chain) ?? []
  const last = segments.at(-1)
  const start = genesis(chain)
  const nothing = { ...start, segment: 1, bytes: 0 }
  if (last === undefined)
    return { end: nothing, unsealed: 0, tornBytes: 0, tornFile: '', lastSeal: undefined, asked: undefined }

  const found = await scanEnd(directory, last, askedSeq)
  const tornBytes = await cutOff(directory, last.name, found.bytes)
  let { point, lastSeal, asked, firstSeq } = found
  for (const earlier of segments.slice(0, -1).toReversed()) {
    const isAskedEarlier = askedSeq > 0 && askedSeq < firstSeq
    if (point !== undefined && lastSeal !== undefined && !isAskedEarlier) break
    const before = await scanEnd(directory, earlier, askedSeq)
    point ??= before.point
    lastSeal ??= before.lastSeal
    asked ??= before.asked
    firstSeq = Math.min(firstSeq, before.firstSeq)
  }
  const end = { ...(point ?? start), segment: last.number, bytes: found.bytes }
  return { end, unsealed: found.unsealed, tornBytes, tornFile: `${last.name}.torn`, lastSeal, asked }
}

const endBytes = 2 ** 20

/** Reads backwards only as far as needed, so that the start of a process takes no longer with a large file. */
async function scanEnd(directory: string, segment: Segment, askedSeq: number) {
  const { size } = await stat(join(directory, segment.name))
  for (let wanted = endBytes; ; wanted *= 8) {
    const from = Math.max(0, size - wanted)
    const found = await scan(directory, segment, askedSeq, from)
    const isAskedEarlier = askedSeq > 0 && askedSeq < found.firstSeq
    if (from === 0 || (found.point !== undefined && found.lastSeal !== undefined && !isAskedEarlier)) return found
  }
}

/** Scans from the byte `from`. If that byte is within a line, the rest of that line is skipped. */
async function scan(directory: string, segment: Segment, askedSeq: number, from: number) {
  let [offset, bytes, unsealed] = [from, 0, 0]
  let point: ChainPoint | undefined
  let asked: ChainPoint | undefined
  let lastSeal: SignedEnd | undefined
  let firstSeq = Infinity
  for await (const lines of chunksOfLines(directory, segment, from)) {
    for (const raw of lines) {
      offset += raw.length
      const line = parseLine(raw.toString('latin1', 0, raw.length - 1))
      if (line?.chain !== segment.chain || raw.at(-1) !== 10) continue
      const seal = line.type === 'seal' ? parseSeal(line.body) : undefined
      const covered = seal?.statement.covers.seq
      lastSeal = seal ?? lastSeal
      unsealed = covered === undefined ? unsealed + 1 : line.seq - 1 - covered
      point = { seq: line.seq, hash: sha256(raw) }
      firstSeq = Math.min(firstSeq, line.seq)
      if (line.seq === askedSeq) asked = point
      bytes = offset
    }
  }
  return { point, bytes, unsealed, lastSeal, asked, firstSeq }
}

async function cutOff(directory: string, name: string, wholeBytes: number): Promise<number> {
  const file = await open(join(directory, name), 'r+')
  try {
    const { size } = await file.stat()
    if (size === wholeBytes) return 0
    const torn = Buffer.alloc(size - wholeBytes)
    await file.read(torn, 0, torn.length, wholeBytes)
    await appendFile(join(directory, `${name}.torn`), torn, { mode: 0o600, flush: true })
    await file.truncate(wholeBytes)
    await file.datasync()
    return torn.length
  } finally {
    await file.close()
  }
}
