import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** Byte strings to search for, by the name that a finding reports. */
export type Needles = Readonly<Record<string, readonly Buffer[]>>

/** The forms of a text in the memory of a JavaScript process: one byte a character, or two. */
export const spelled = (text: string): Buffer[] => [Buffer.from(text, 'latin1'), Buffer.from(text, 'utf16le')]

/** Bytes as they are, in hexadecimal of either case, and in base64. */
export function everyForm(bytes: Buffer): Buffer[] {
  const hex = bytes.toString('hex')
  return [
    bytes,
    ...spelled(hex),
    ...spelled(hex.toUpperCase()),
    ...spelled(bytes.toString('base64').replace(/=+$/, '')),
  ]
}

/** Names of the needles in the haystack. */
export function findIn(haystack: Buffer, needles: Needles): string[] {
  return Object.keys(needles).filter((name) => needles[name]?.some((needle) => haystack.includes(needle)))
}

/** The same for a file, or for all files below a folder. */
export function findInFiles(path: string, needles: Needles): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ parentPath, name }) =>
      findIn(readFileSync(join(parentPath, name)), needles).map((needle) => `${needle} in ${name}`),
    )
}

/** Whether this process can read the memory of others: as root, where nothing forbids it. */
export function mayReadMemory(): boolean {
  try {
    closeSync(openSync(`/proc/${process.ppid}/mem`, 'r'))
    return true
  } catch {
    return false
  }
}

const chunkBytes = 16 * 1024 * 1024
/** Longer than any needle, so that a needle across two chunks is found in the second one. */
const overlapBytes = 4096

/**
 * Names of the needles in the memory of a process. All pages that it can have written are searched: heaps, stacks and
 * other pages of its own. Pages of files that it only reads are not.
 */
export function findInMemory(pid: number, needles: Needles): string[] {
  const found = new Set<string>()
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  try {
    for (const { from, to } of ownRegions(pid)) {
      for (let at = from; at < to; at += chunkBytes - overlapBytes) {
        const chunk = readAt(memory, at, Math.min(chunkBytes, to - at))
        for (const name of findIn(chunk, needles)) found.add(name)
        if (to - at <= chunkBytes) break
      }
    }
  } finally {
    closeSync(memory)
  }
  return [...found]
}

/** proc_pid_maps(5): readable regions that are anonymous or private, writable copies. */
function ownRegions(pid: number): { from: number; to: number }[] {
  const lines = readFileSync(`/proc/${pid}/maps`, 'latin1').split('\n').filter(Boolean)
  return lines.flatMap((line) => {
    const [range = '', access = '', , , inode] = line.split(/\s+/)
    const isOwn = inode === '0' || access.startsWith('rw')
    if (!access.startsWith('r') || !isOwn || /\[(vvar|vsyscall|vdso)/.test(line)) return []
    const [from = 0, to = 0] = range.split('-').map((digits) => Number.parseInt(digits, 16))
    return [{ from, to }]
  })
}

/** A region may have been freed meanwhile, and then cannot be read. */
function readAt(memory: number, position: number, bytes: number): Buffer {
  const chunk = Buffer.alloc(bytes)
  try {
    return chunk.subarray(0, readSync(memory, chunk, 0, bytes, position))
  } catch {
    return Buffer.alloc(0)
  }
}
