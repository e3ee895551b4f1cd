import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCodeOf } from '../../fault.ts'
import { listSegments, type Segment } from '../segment.ts'
import type { ReadPoint, ReadPoints } from '../witness/head-reader.ts'
import { createRecordFilter, type RecordCriteria } from './record-filter.ts'
import { closeBytes, longestCallMs, seekTime } from './time-seek.ts'
import { eventIn, type TrailRecord } from './trail-record.ts'

export interface PageRequest {
  readonly criteria: RecordCriteria
  /** A further condition for records that meet the criteria. */
  readonly isShown: (record: TrailRecord) => boolean
  /** The positions where the previous page stopped, reading backwards; undefined for the first page. */
  readonly before: ReadPoints | undefined
  readonly mostRecords: number
  /** Most bytes of the trail to read. At this limit the page ends early, and the next page continues. */
  readonly mostBytes: number
}

export interface Page {
  readonly records: readonly TrailRecord[]
  /** Where the next page starts; undefined if nothing is left. */
  readonly next: ReadPoints | undefined
}

const chunkBytes = 64 * 1024

/** Reads a page of records of all chains, newest first. Its cost is bounded, however long the trail is. */
export async function readNewest(directory: string, request: PageRequest): Promise<Page> {
  for (let tries = 1; ; tries += 1)
    try {
      return await readPage(directory, request)
    } catch (error) {
      // Files may be archived, oldest first, after they were listed and before they are read.
      if (errorCodeOf(error) !== 'ENOENT' || tries === mostTries) throw error
    }
}

const mostTries = 5

async function readPage(directory: string, request: PageRequest): Promise<Page> {
  const { criteria, isShown, before, mostRecords, mostBytes } = request
  const meets = createRecordFilter(criteria)
  const chains: Backward[] = []
  for (const [chain, segments] of await listSegments(directory)) {
    const from = before === undefined ? await startOf(directory, segments, criteria) : before[chain]
    if (from !== undefined) chains.push(createBackward(directory, segments, from, criteria.since ?? -Infinity))
  }
  const records: TrailRecord[] = []
  const bytesRead = () => chains.reduce((sum, { bytes }) => sum + bytes, 0)
  while (records.length < mostRecords && bytesRead() < mostBytes) {
    for (const chain of chains)
      while (chain.at === undefined && !chain.isOver && bytesRead() < mostBytes) await chain.fill()
    const latest = latestOf(chains)
    // The unread records of a chain may be newer than those of the others.
    if (latest === undefined || chains.some(({ at, isOver }) => at === undefined && !isOver)) break
    const record = latest.take()
    if (record !== undefined && meets(record) && isShown(record)) records.push(record)
  }
  const open = chains.filter(({ isOver }) => !isOver)
  return {
    records: records.toSorted((a, b) => b.at - a.at),
    next: open.length === 0 ? undefined : Object.fromEntries(open.map(({ chain, point }) => [chain, point])),
  }
}

/** Where to start reading backwards: the end of the chain, or a byte after which all records are later than `until`. */
async function startOf(directory: string, segments: readonly Segment[], { until }: RecordCriteria): Promise<ReadPoint> {
  const last = { segment: segments.at(-1)?.number ?? 0, bytes: Number.MAX_SAFE_INTEGER }
  if (until === undefined) return last
  const { segment, bytes } = await seekTime(directory, segments, until + 2 * longestCallMs)
  return { segment, bytes: bytes + closeBytes + chunkBytes }
}

/** One chain, read backwards. */
interface Backward {
  readonly chain: string
  /** The time of the next record; undefined if none has been read. */
  readonly at: number | undefined
  readonly isOver: boolean
  /** Everything before this position is still unread. */
  readonly point: ReadPoint
  readonly bytes: number
  /** Reads the next chunk. */
  fill(): Promise<void>
  take(): TrailRecord | undefined
}

interface Waiting {
  readonly record: TrailRecord
  /** The byte after its newline. */
  readonly end: number
}

function createBackward(directory: string, segments: readonly Segment[], from: ReadPoint, since: number): Backward {
  const chain = segments[0]?.chain ?? ''
  /** Files that are not read completely, the newest last. */
  const left = segments.filter(({ number }) => number <= from.segment)
  const waiting: Waiting[] = []
  let point = from
  /** The first byte of the line that was read last in the current file. */
  let read: number | undefined
  let bytes = 0
  let isOld = false

  /** Reads the chunk before `read`, which ends with a whole line. `take` then gives its newest record first. */
  async function readChunk(segment: Segment): Promise<void> {
    const handle = await open(join(directory, segment.name), 'r')
    try {
      const { size } = await handle.stat()
      const limit = segment.number === from.segment ? from.bytes : size
      const end = Math.min(read ?? limit, size)
      const start = Math.max(0, end - chunkBytes)
      const { buffer } = await handle.read(Buffer.allocUnsafe(end - start), 0, end - start, start)
      bytes += buffer.length
      // A chunk starts within a line, except at the start of the file.
      const firstLine = start === 0 ? 0 : buffer.indexOf(10) + 1
      read = start === 0 ? 0 : firstLine === 0 || firstLine >= buffer.length ? start : start + firstLine
      waiting.push(...eventsIn(buffer.subarray(firstLine), segment.chain, start + firstLine))
      isOld = (waiting[0]?.record.at ?? Infinity) < since - longestCallMs
      point = { segment: segment.number, bytes: read }
    } finally {
      await handle.close()
    }
  }

  return {
    chain,
    get at() {
      return waiting.at(-1)?.record.at
    },
    get isOver() {
      return waiting.length === 0 && (isOld || left.length === 0)
    },
    get point() {
      const next = waiting.at(-1)
      return next === undefined ? point : { segment: point.segment, bytes: next.end }
    },
    get bytes() {
      return bytes
    },
    async fill() {
      const segment = left.at(-1)
      if (segment === undefined) return
      await readChunk(segment)
      if (read === 0) {
        left.pop()
        read = undefined
      }
    },
    take: () => waiting.pop()?.record,
  }
}

function eventsIn(piece: Buffer, chain: string, offset: number): Waiting[] {
  const found: Waiting[] = []
  for (let start = 0; start < piece.length;) {
    const newline = piece.indexOf(10, start)
    const end = newline === -1 ? piece.length : newline
    const event = eventIn(piece.subarray(start, end), chain)
    if (event !== undefined) found.push({ record: event.record, end: offset + end + 1 })
    start = end + 1
  }
  return found
}

function latestOf(chains: readonly Backward[]): Backward | undefined {
  let found: Backward | undefined
  for (const chain of chains)
    if (chain.at !== undefined && (found?.at === undefined || chain.at > found.at)) found = chain
  return found
}
