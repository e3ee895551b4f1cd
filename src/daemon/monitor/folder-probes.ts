import { randomBytes } from 'node:crypto'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { keeperOf } from '../../config/keeper-section.ts'
import type { Config } from '../../config/schema.ts'
import { errorCodeOf } from '../../fault.ts'
import type { FolderObservation } from '../../monitor/observation.ts'
import { isReadOnly } from '../../read-only.ts'
import { withProbeTimeout } from './timeout.ts'

export interface FolderProbes {
  /**
   * Free space on the disks of the appliance, none on a read-only one, without folders that this process cannot see or
   * whose disk does not answer.
   */
  look(): Promise<FolderObservation[]>
  /** The system's error code if no block can be written to the folder of the audit trail; otherwise undefined. */
  trailFault(): Promise<string | undefined>
}

/** The folders in which a full disk would stop the appliance or its backups. */
export function foldersOnDisks(config: Config) {
  const { audit, store, hsm, backup } = config
  return [
    { folder: 'audit', path: audit.directory },
    ...(store.sqlite === undefined ? [] : [{ folder: 'database', path: dirname(store.sqlite) } as const]),
    ...(hsm.tokenDirectory === undefined ? [] : [{ folder: 'token', path: hsm.tokenDirectory } as const]),
    { folder: 'keeper', path: dirname(keeperOf(config).state) },
    ...(backup === undefined ? [] : [{ folder: 'backup', path: backup.directory } as const]),
    { folder: 'temporary', path: tmpdir() },
  ] as const
}

export function createFolderProbes(config: Config): FolderProbes {
  const looks = foldersOnDisks(config)
    // The daemon's unit hides the folder of keeper and token hosts behind another file system. They report their room.
    .filter(({ folder }) => config.hsm.spawn || !['token', 'keeper'].includes(folder))
    .map(({ folder, path }) => withProbeTimeout(() => lookAt(folder, path), []))
  return {
    look: async () => (await Promise.all(looks.map((look) => look()))).flat(),
    trailFault: withProbeTimeout(() => trailFault(config.audit.directory), 'ETIMEDOUT'),
  }
}

async function lookAt(folder: FolderObservation['folder'], path: string): Promise<FolderObservation[]> {
  try {
    const { bavail, blocks, bsize } = await statfs(path)
    // Backups are written by another unit, which more folders are writable for.
    const freeBytes = folder !== 'backup' && (await isReadOnly(path)) ? 0 : bavail * bsize
    return [{ folder, freeBytes, sizeBytes: blocks * bsize }]
  } catch {
    return []
  }
}

const probe = randomBytes(4_096)

async function trailFault(directory: string): Promise<string | undefined> {
  const path = join(directory, `.monitor-${process.pid}`)
  try {
    await writeFile(path, probe, { mode: 0o600 })
    return undefined
  } catch (error) {
    return errorCodeOf(error) ?? 'unknown error'
  } finally {
    await rm(path, { force: true }).catch(() => undefined)
  }
}
