import { constants, statSync } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCodeOf } from '../fault.ts'
import { identityOf } from '../file-identity.ts'
import { syncFolder } from '../folder-sync.ts'
import type { ChainPoint } from '../hsm/audit-end.ts'
import { lineAfter, maxLineBytes, sha256, type LineType } from './line.ts'
import { lastSegment, segmentOf } from './segment.ts'

export interface Entry {
  readonly type: LineType
  readonly body: string
}

/** The files of one chain, opened for appending by the one process that writes them. */
export interface ChainFile {
  /** The last line on the disk. */
  readonly end: ChainPoint
  /**
   * Appends the entries as lines. All of them are on the disk when it resolves. None is when it rejects, and the next
   * call continues after the last durable line. Callers must not overlap calls. Rejects with the errors of the file
   * system.
   */
  append(entries: readonly Entry[]): Promise<void>
  close(): Promise<void>
}

/** The end of a chain on the disk: its last line, its last file and the length of that file. */
export interface ChainEnd extends ChainPoint {
  readonly segment: number
  readonly bytes: number
}

export interface ChainFileOptions {
  readonly directory: string
  readonly chain: string
  readonly end: ChainEnd
  readonly segmentBytes: number
}

export async function openChainFile(options: ChainFileOptions): Promise<ChainFile> {
  const { directory, chain, segmentBytes } = options
  let end: ChainPoint = { seq: options.end.seq, hash: options.end.hash }
  let { segment, bytes } = options.end
  let { handle, identity } = await openSegment(directory, chain, segment)
  let damaged = false

  async function write(text: string): Promise<void> {
    if (damaged || !isInPlace()) await mend()
    if (bytes >= segmentBytes && segment < lastSegment) await nextSegment()
    damaged = true
    try {
      await writeAll(handle, Buffer.from(text, 'latin1'))
      damaged = false
    } catch (error) {
      await mend().catch(() => undefined)
      throw error
    }
  }

  // The kernel also writes to a file that was removed, or whose folder another disk hides; a restart would not find those
  // records. And it appends to a file that was cut (`copytruncate` of logrotate), as if that were a new one. Where this
  // process may no longer look, nothing is known to have moved.
  function isInPlace(): boolean {
    try {
      const there = statSync(pathOf(directory, chain, segment))
      return identityOf(there) === identity && there.size >= bytes
    } catch (error) {
      return errorCodeOf(error) === 'EACCES'
    }
  }

  // Opens the file again, because a disk that failed and returned may be another mount. A chain whose file, or the end
  // of it, is gone during operation is not silently started again. Nor is another file cut that has other records there.
  async function mend(): Promise<void> {
    const path = pathOf(directory, chain, segment)
    const there = await stat(path)
    const hasEnd = identityOf(there) === identity || (await hasLineAt(path, bytes, end.hash))
    if (there.size < bytes || !hasEnd) throw removed(path)
    damaged = true
    await handle.close().catch(() => undefined)
    ;({ handle, identity } = await openSegment(directory, chain, segment))
    await handle.truncate(bytes)
    await handle.datasync()
    damaged = false
  }

  async function nextSegment(): Promise<void> {
    const next = await openSegment(directory, chain, segment + 1)
    await handle.close().catch(() => undefined)
    ;({ handle, identity } = next)
    segment += 1
    bytes = next.bytes
  }

  return {
    get end() {
      return end
    },
    async append(entries) {
      let reached = end
      let text = ''
      for (const { type, body } of entries) {
        const line = lineAfter(reached, chain, type, body)
        reached = { seq: reached.seq + 1, hash: sha256(line) }
        text += line
      }
      await write(text)
      end = reached
      bytes += text.length
    },
    close: () => handle.close(),
  }
}

function removed(path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`the end of ${path} was removed`), { code: 'ENOENT' })
}

/** Whether the line that ends at this byte has this hash. */
async function hasLineAt(path: string, bytes: number, hash: string): Promise<boolean> {
  const file = await open(path)
  try {
    const from = Math.max(0, bytes - maxLineBytes - 1)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes - from), 0, bytes - from, from)
    const lines = buffer.subarray(0, bytesRead)
    return sha256(lines.subarray(lines.lastIndexOf('\n', -2) + 1)) === hash
  } finally {
    await file.close()
  }
}

const pathOf = (directory: string, chain: string, segment: number): string =>
  join(directory, segmentOf(chain, segment).name)

async function writeAll(handle: FileHandle, data: Buffer): Promise<void> {
  for (let offset = 0; offset < data.length;) offset += (await handle.write(data, offset)).bytesWritten
}

// With O_DSYNC (open(2)) a write returns only when the data is on the disk: one trip to the thread pool instead of two.
const appendDurably = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_DSYNC

interface OpenSegment {
  readonly handle: FileHandle
  readonly identity: string
  /** Its length. */
  readonly bytes: number
}

/** Opens a file for appending, and syncs the folder so that its name is durable too. */
async function openSegment(directory: string, chain: string, segment: number): Promise<OpenSegment> {
  const handle = await open(pathOf(directory, chain, segment), appendDurably, 0o600)
  await syncFolder(directory)
  const there = await handle.stat()
  return { handle, identity: identityOf(there), bytes: there.size }
}
