import type { Command } from 'commander'
import { identitiesIn } from '../../backup/age-stream.ts'
import { shortKey } from '../../backup/backup-reader.ts'
import { utcText } from '../../clock.ts'
import { readSecret } from '../../config/loader.ts'
import { exitCodes } from '../exit-code.ts'
import { answering } from '../invocation.ts'
import { count, table } from '../output/command-answer.ts'
import { nameAnother, readPublicKeyFile } from '../output/terminal.ts'
import { type InspectedBackup, inspectBackup } from './backup-inspection.ts'
import { sizeText } from './size-text.ts'

const help = `
On any machine: neither token nor configuration is needed, and nothing is changed. It checks the hash of
every file, the signature over all of them, the database (SQLite) and the audit trail. An attacker can encrypt
to a recipient, too: name with --public-key the audit key of the appliance that you keep elsewhere (audit-
public.pem), so that a forged backup is found. Needs room in the folder for temporary files
(TMPDIR) for the database and the trail.

Example:
  strongroom backup verify strongroom.age --identity backup-identity.txt --public-key audit-public.pem`

interface Options {
  readonly identity: string
  readonly publicKey?: string
}

export function addBackupVerify(backup: Command): void {
  backup
    .command('verify <file>')
    .description('check a backup, and say what it holds')
    .requiredOption('--identity <file>', 'identity of one of its recipients')
    .option('--public-key <file>', 'PEM file with the public audit key of the appliance')
    .addHelpText('after', help)
    .action(
      answering(async ({ terminal }, file: string, { identity, publicKey }: Options) => {
        const key = publicKey === undefined ? undefined : await readPublicKeyFile(terminal, publicKey)
        const found = await inspectBackup(file, readIdentities(identity), key)
        const sound = isSound(found)
        return {
          json: { ...found, signer: shortKey(found.signer), keyGiven: key !== undefined, sound },
          lines: [...describeBackup(file, found, key !== undefined), '', verdictOn(found)],
          exitCode: sound ? exitCodes.done : exitCodes.refused,
        }
      }),
    )
}

export const readIdentities = (file: string): string[] => identitiesIn(readSecret(file, nameAnother), file)

const isSound = ({ trail, damage, newer }: InspectedBackup): boolean =>
  trail.sound && damage.length === 0 && newer.length === 0

export function describeBackup(file: string, found: InspectedBackup, isKeyGiven: boolean): string[] {
  const { manifest, signer, trail } = found
  const { counts, token } = manifest
  const bytes = manifest.files.reduce((total, { size }) => total + size, 0)
  const records = trail.chains.reduce((total, chain) => total + chain.records, 0)
  return table([
    ['backup', file],
    [
      'made',
      `${utcText(manifest.takenAt)}, ${ageText(Date.now() - manifest.takenAt)} ago, by release ${manifest.release} on ${manifest.machine}`,
    ],
    ['signed', `by the key ${shortKey(signer)}${isKeyGiven ? '' : ': compare it with yours (--public-key)'}`],
    ['holds', `${count(manifest.files.length, 'file')}, ${sizeText(bytes)}`],
    [
      'database',
      `${manifest.database}: ${Object.entries(counts)
        .map(([name, rows]) => `${rows} ${name.replace('_', ' ')}`)
        .join(', ')}`,
    ],
    ['token', `${token.label}, serial ${token.serial}${token.included ? '' : ', not in the backup'}`],
    ['trail', `${count(trail.chains.length, 'chain')}, ${count(records, 'record')}`],
    ['left out', manifest.leftOut.join(', ')],
  ])
}

export function verdictOn(found: InspectedBackup): string {
  const { trail, damage, newer } = found
  if (damage.length > 0) return `The database in it is damaged: ${damage[0]}. Take another backup.`
  if (newer.length > 0) return 'A later release made its database: restore it with that one.'
  if (trail.sound) return 'The backup is whole.'
  const finding = trail.chains.flatMap(({ findings }) => findings)[0]
  return `The audit trail in it is not as it was written: ${finding?.file}: ${finding?.detail} The rest is whole.`
}

function ageText(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000))
  if (minutes < 120) return count(minutes, 'minute')
  const hours = Math.round(minutes / 60)
  return hours < 48 ? count(hours, 'hour') : count(Math.round(hours / 24), 'day')
}
