import type { Command } from 'commander'
import { BackupError } from '../../backup/backup-error.ts'
import { loadConfig } from '../../config/loader.ts'
import { answering, several } from '../invocation.ts'
import { count, table } from '../output/command-answer.ts'
import { type MadeBackup, makeBackup } from './backup-making.ts'
import { sizeText } from './size-text.ts'

const help = `
While the appliance runs: database, token (SoftHSM2's folder; back the token of another module up as its vendor
says), the keeper's file, audit trail, configuration and certificates, all of one moment. The
file is encrypted to the recipients and signed. Anyone who has the identity of a recipient and the PIN of
the token can open everything, so the PIN is not in it, nor private keys of TLS, nor the URL of PostgreSQL:
keep those elsewhere.

Examples:
  strongroom backup create /backup/strongroom.age --recipient age1ql3z7hjy54…
  strongroom backup create /backup/strongroom.age        # to backup.recipients`

export function addBackupCreate(backup: Command): void {
  backup
    .command('create <file>')
    .description('make a backup of the whole appliance')
    .option('--recipient <age1…>', 'public key to encrypt to, may be repeated', several)
    .addHelpText('after', help)
    .action(
      answering(async (invocation, file: string, { recipient }: { readonly recipient?: readonly string[] }) => {
        const recipients = recipient ?? loadConfig(invocation.config).backup?.recipients ?? []
        if (recipients.length === 0)
          throw new BackupError('Say to whom the backup is encrypted: give --recipient, or set backup.recipients.')
        const made = await makeBackup(invocation, file, recipients)
        return { json: made, lines: describeMade(made) }
      }),
    )
}

export function describeMade({ file, bytes, sha256, manifest }: MadeBackup): string[] {
  const { token, leftOut } = manifest
  return [
    ...table([
      ['backup', file],
      ['', `${sizeText(bytes)}, ${count(manifest.files.length, 'file')}, SHA-256 ${sha256}`],
      ['token', token.included ? 'with its objects' : 'not in it: back it up as its vendor says'],
    ]),
    '',
    `Not in it, and needed to restore: ${leftOut.join(', ')}. Keep these elsewhere.`,
  ]
}
