import { closeSync, fchmodSync, fchownSync, fsyncSync, openSync, statSync, writeFileSync } from 'node:fs'

/** Writes a new file with the owner and mode of another. It is on the disk when this returns. */
export function writeLike(model: string, path: string, content: string | Buffer): void {
  const { uid, gid, mode } = statSync(model)
  const descriptor = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(descriptor, content)
    if (process.getuid?.() === 0) fchownSync(descriptor, uid, gid)
    fchmodSync(descriptor, mode & 0o777)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
