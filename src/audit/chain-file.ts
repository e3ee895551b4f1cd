import { constants, fstatSync } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../folder-sync.ts'
import type { ChainPoint } from '../hsm/audit-end.ts'
import { lineAfter, sha256, type LineType } from './line.ts'
import { segmentOf } from './segment.ts'

export interface Entry {
  readonly type: LineType
  readonly body: string
}

/** The files of one chain, open at their end for the one process that writes them. */
export interface ChainFile {
  /** The last line that is on the disk. */
  readonly end: ChainPoint
  /**
   * Adds the entries as the chain's next lines: all are on the disk when it resolves, none is when it rejects, and
   * then the chain goes on after its last durable line. One call at a time. Rejects as the file system does.
   */
  append(entries: readonly Entry[]): Promise<void>
  close(): Promise<void>
}

/** Where a chain stands on the disk: its last line, and the file and byte behind it. */
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
  let handle = await openSegment(directory, chain, segment)
  let damaged = false

  async function write(text: string): Promise<void> {
    if (damaged) await mend()
    if (bytes >= segmentBytes) await nextSegment()
    damaged = true
    try {
      // Bytes written to a file that was removed are on no disk, though every call says that they are.
      if (fstatSync(handle.fd).nlink === 0) throw removed(pathOf(directory, chain, segment))
      await writeAll(handle, Buffer.from(text, 'latin1'))
      damaged = false
    } catch (error) {
      await mend().catch(() => undefined)
      throw error
    }
  }

  // The file is opened anew, because a disk that came back may be another mount, and must still be there: a chain that
  // was removed under a running process is not silently begun again.
  async function mend(): Promise<void> {
    await stat(pathOf(directory, chain, segment))
    await handle.close().catch(() => undefined)
    handle = await openSegment(directory, chain, segment)
    await handle.truncate(Math.min(bytes, (await handle.stat()).size))
    await handle.datasync()
    damaged = false
  }

  async function nextSegment(): Promise<void> {
    const next = await openSegment(directory, chain, segment + 1)
    await handle.close().catch(() => undefined)
    handle = next
    segment += 1
    bytes = (await handle.stat()).size
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
  return Object.assign(new Error(`${path} was removed`), { code: 'ENOENT' })
}

const pathOf = (directory: string, chain: string, segment: number): string =>
  join(directory, segmentOf(chain, segment).name)

async function writeAll(handle: FileHandle, data: Buffer): Promise<void> {
  for (let offset = 0; offset < data.length;) offset += (await handle.write(data, offset)).bytesWritten
}

// With O_DSYNC (open(2)) the write itself ends only when the data is on the disk: one trip to the thread pool, not two.
const appendDurably = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_DSYNC

/** Opens for appending, and makes the file's name durable as well. */
async function openSegment(directory: string, chain: string, segment: number): Promise<FileHandle> {
  const handle = await open(pathOf(directory, chain, segment), appendDurably, 0o600)
  await syncFolder(directory)
  return handle
}
