import type { Command } from 'commander'
import { writeFile } from 'node:fs/promises'
import { makeIdentity } from '../../backup/age-stream.ts'
import { naming } from '../../backup/backup-writer.ts'
import { utcText } from '../../clock.ts'
import { answering } from '../invocation.ts'

const help = `
Run it where backups are to be restored, not on the appliance: anyone who has the file can decrypt every
backup that is encrypted to it. It is the file that age-keygen(1) makes, and age(1) reads.

Example:
  strongroom backup identity backup-identity.txt`

export function addBackupIdentity(backup: Command): void {
  backup
    .command('identity <file>')
    .description('make the pair of keys that backups are encrypted to')
    .addHelpText('after', help)
    .action(
      answering(async (_invocation, file: string) => {
        const { identity, recipient } = await makeIdentity()
        const text = `# created: ${utcText(Date.now())}\n# public key: ${recipient}\n${identity}\n`
        await naming(file, () => writeFile(file, text, { flag: 'wx', mode: 0o600, flush: true }))
        return { json: { file, recipient }, lines: [`identity   ${file}`, `recipient  ${recipient}`] }
      }),
    )
}
