import { readdir } from 'node:fs/promises'
import { newestTime } from '../../backup/retention.ts'
import type { Config } from '../../config/schema.ts'
import { errorCodeOf } from '../../fault.ts'
import { judgeBackup, type Judgement } from '../../monitor/judgement.ts'
import { withProbeTimeout } from './timeout.ts'

/** Checks the age of the newest backup in `backup.directory`; undefined where no backups are configured. */
export function createBackupProbe({ backup, warnings }: Config): (now: number) => Promise<Judgement | undefined> {
  if (backup === undefined) return () => Promise.resolve(undefined)
  const look = withProbeTimeout(() => namesIn(backup.directory), 'ETIMEDOUT')
  return async (now) => {
    const names = await look()
    if (typeof names === 'string')
      return { state: 'warning', detail: `backups cannot be looked at (${names}) in ${backup.directory}`, remedy }
    const newest = newestTime(names, now)
    return judgeBackup(newest === undefined ? undefined : now - newest, warnings)
  }
}

const remedy =
  "Mount or make backup.directory, and let the daemon's user list it (chmod o+rx): backups in it are encrypted, and only their owner reads them."

/** The names in the folder, or the error code of the system. */
async function namesIn(directory: string): Promise<readonly string[] | string> {
  try {
    return await readdir(directory)
  } catch (error) {
    return errorCodeOf(error) ?? 'unknown error'
  }
}
