import { createReadStream, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { accountOf } from './account-names.ts'
import type { TarEntry } from '../../backup/tar.ts'
import type { Place } from '../../backup/manifest.ts'

/** A file as an entry of a backup: its first `size` bytes, or by default its current size. */
export function diskEntry(name: string, path: string, size?: number): TarEntry {
  const stat = statSync(path)
  const bytes = size ?? stat.size
  return {
    name,
    size: bytes,
    mode: stat.mode & 0o777,
    owner: nameIn('passwd', stat.uid),
    group: nameIn('group', stat.gid),
    modifiedAt: stat.mtimeMs,
    content: firstBytes(path, bytes),
  }
}

/** The paths of all files below a folder, relative to it. A slash at the folder's end is allowed. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))

async function* firstBytes(path: string, bytes: number): AsyncGenerator<Uint8Array> {
  if (bytes === 0) return
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a stream of bytes gives those
  yield* createReadStream(path, { end: bytes - 1, highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>
}

/** A path with the mode, owner and group of its file or folder. */
export function placeOf(path: string): Place {
  const { mode, uid, gid } = statSync(path)
  return { path, mode: mode & 0o777, owner: nameIn('passwd', uid), group: nameIn('group', gid) }
}

/** The name of a user or group, or its number if it has no name. */
const nameIn = (database: 'passwd' | 'group', id: number): string => accountOf(database, String(id))?.name ?? String(id)
