import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { syncPath } from './directory-sync.ts'

/**
 * Makes or replaces a file in one step, with the owner and mode of another. It is on the disk when this returns.
 * @param draft a path in the same folder, where the content is written first
 */
export function writeInOneStep(path: string, content: string | Buffer, model: string, draft: string): void {
  rmSync(draft, { force: true })
  writeLike(model, draft, content)
  renameSync(draft, path)
  syncPath(dirname(path))
}

function writeLike(model: string, path: string, content: string | Buffer): void {
  const { uid, gid, mode } = statSync(model)
  const descriptor = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(descriptor, content)
    if (process.geteuid?.() === 0) fchownSync(descriptor, uid, gid)
    fchmodSync(descriptor, mode & 0o777)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
