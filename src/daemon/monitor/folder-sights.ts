import { randomBytes } from 'node:crypto'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Config } from '../../config/schema.ts'
import { errorCodeOf } from '../../fault.ts'
import type { FolderSight } from '../../monitor/observation.ts'

/** Room on the disks of the appliance; none of a folder that this process cannot see. */
export async function lookAtFolders({ audit, store, hsm }: Config): Promise<FolderSight[]> {
  const folders = [
    { folder: 'audit', path: audit.directory },
    ...(store.sqlite === undefined ? [] : [{ folder: 'database', path: dirname(store.sqlite) } as const]),
    ...(hsm.tokenDirectory === undefined ? [] : [{ folder: 'token', path: hsm.tokenDirectory } as const]),
    { folder: 'temporary', path: tmpdir() },
  ] as const
  const seen = await Promise.all(
    folders.map(async ({ folder, path }) => {
      try {
        const { bavail, blocks, bsize } = await statfs(path)
        return [{ folder, freeBytes: bavail * bsize, sizeBytes: blocks * bsize }]
      } catch {
        return []
      }
    }),
  )
  return seen.flat()
}

const probe = randomBytes(4_096)

/** The system's word for why no block can be written to the folder of the audit trail; undefined where one can. */
export async function trailFolderFault({ audit }: Config): Promise<string | undefined> {
  const path = join(audit.directory, `.monitor-${process.pid}`)
  try {
    await writeFile(path, probe, { mode: 0o600 })
    return undefined
  } catch (error) {
    return errorCodeOf(error) ?? 'unknown error'
  } finally {
    await rm(path, { force: true }).catch(() => undefined)
  }
}
