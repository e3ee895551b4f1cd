import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** Bytes to look for, under the name by which a finding is told. */
export type Needles = Readonly<Record<string, readonly Buffer[]>>

/** A text as it may lie in the memory of a process that runs JavaScript: of one byte a character, or of two. */
export const spelled = (text: string): Buffer[] => [Buffer.from(text, 'latin1'), Buffer.from(text, 'utf16le')]

/** Bytes raw, in hexadecimal of either case, and in base64. */
export function everyForm(bytes: Buffer): Buffer[] {
  const hex = bytes.toString('hex')
  return [
    bytes,
    ...spelled(hex),
    ...spelled(hex.toUpperCase()),
    ...spelled(bytes.toString('base64').replace(/=+$/, '')),
  ]
}

/** The names of the needles that are in the haystack. */
export function findIn(haystack: Buffer, needles: Needles): string[] {
  return Object.keys(needles).filter((name) => needles[name]?.some((needle) => haystack.includes(needle)))
}

/** The same for all files below a folder, or in one file. */
export function findInFiles(path: string, needles: Needles): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ parentPath, name }) =>
      findIn(readFileSync(join(parentPath, name)), needles).map((needle) => `${needle} in ${name}`),
    )
}

/** Whether the memory of other processes can be read: by root, where nothing forbids it. */
export function mayReadMemory(): boolean {
  try {
    closeSync(openSync(`/proc/${process.ppid}/mem`, 'r'))
    return true
  } catch {
    return false
  }
}

const chunkBytes = 16 * 1024 * 1024
/** Longer than any needle: what lies across two chunks is seen in the second. */
const overlapBytes = 4096

/**
 * The names of the needles in the memory of a process, with everything that it can have written: its heaps, stacks and all other
 * pages that are its own. Pages of files that it only reads are left out.
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

/** proc_pid_maps(5): what can be read, and is either anonymous or a private copy that can be written. */
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

/** A region may have been given back meanwhile: what cannot be read is not there. */
function readAt(memory: number, position: number, bytes: number): Buffer {
  const chunk = Buffer.alloc(bytes)
  try {
    return chunk.subarray(0, readSync(memory, chunk, 0, bytes, position))
  } catch {
    return Buffer.alloc(0)
  }
}
