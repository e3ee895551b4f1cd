import { execFileSync } from 'node:child_process'
import { createReadStream, statSync } from 'node:fs'
import type { TarEntry } from '../../backup/tar.ts'
import type { Place } from '../../backup/manifest.ts'

/** A file of the disk as an entry of a backup: its first `size` bytes, or all that it has now. */
export function diskEntry(name: string, path: string, size?: number): TarEntry {
  const stat = statSync(path)
  const bytes = size ?? stat.size
  return {
    name,
    size: bytes,
    mode: stat.mode & 0o777,
    owner: userName(stat.uid),
    group: groupName(stat.gid),
    modifiedAt: stat.mtimeMs,
    content: firstBytes(path, bytes),
  }
}

async function* firstBytes(path: string, bytes: number): AsyncGenerator<Uint8Array> {
  if (bytes === 0) return
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a stream of bytes gives those
  yield* createReadStream(path, { end: bytes - 1, highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>
}

/** Where something lies, with the mode and owner that it has there. */
export function placeOf(path: string): Place {
  const { mode, uid, gid } = statSync(path)
  return { path, mode: mode & 0o777, owner: userName(uid), group: groupName(gid) }
}

const userName = remembered((id) => nameBy('passwd', id))
const groupName = remembered((id) => nameBy('group', id))

/** By getent(1), because Node looks no number up. One without a name stays a number. */
function nameBy(database: 'passwd' | 'group', id: number): string {
  try {
    const line = execFileSync('getent', [database, String(id)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return line.split(':', 1)[0] ?? String(id)
  } catch {
    return String(id)
  }
}

function remembered(find: (id: number) => string): (id: number) => string {
  const known = new Map<number, string>()
  return (id) => {
    const name = known.get(id) ?? find(id)
    known.set(id, name)
    return name
  }
}
