import type { Command } from 'commander'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { BackupError } from '../../backup/backup-error.ts'
import { backupName, superfluous } from '../../backup/retention.ts'
import { loadConfig } from '../../config/loader.ts'
import { answering } from '../invocation.ts'
import { makeBackup } from './backup-making.ts'
import { describeMade } from './create.ts'

const help = `
What strongroom-backup.timer runs: a backup to backup.recipients, under its time, in backup.directory. Once
it is on the disk and was read back, older ones that backup.keep does not name are removed. If it fails, none
is removed, and the exit code is not 0.

Example:
  strongroom backup run`

export function addBackupRun(backup: Command): void {
  backup
    .command('run')
    .description('make a backup in backup.directory, and remove old ones')
    .addHelpText('after', help)
    .action(
      answering(async (invocation) => {
        const { backup: settings } = loadConfig(invocation.config)
        if (settings === undefined)
          throw new BackupError('Say where backups go, and to whom: set backup.directory and backup.recipients.')
        const { directory, recipients, keep } = settings
        const startedAt = Date.now()
        const made = await makeBackup(invocation, join(directory, backupName(startedAt)), recipients)
        const removed = superfluous(readdirSync(directory), keep, startedAt)
        for (const name of removed) rmSync(join(directory, name))
        return {
          json: { ...made, removed },
          lines: [...describeMade(made), ...removed.map((name) => `Removed ${name}.`)],
        }
      }),
    )
}
