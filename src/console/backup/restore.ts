import type { Command } from 'commander'
import { chmodSync, chownSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { BackupError } from '../../backup/backup-error.ts'
import { keeperOf } from '../../config/keeper-section.ts'
import { readSecret } from '../../config/loader.ts'
import { raiseCounters, type RaisedCounters } from '../../features/otp/counter-raising.ts'
import { markStray } from '../../features/vaults/stray-keys.ts'
import { makeFolder } from '../../folder-making.ts'
import { compareVaultKeys } from '../checks/vaults.ts'
import { withAppliance } from '../console-context.ts'
import { type AcceptedDatabase, acceptRestored } from '../database/restored-database.ts'
import { examine } from '../doctor.ts'
import { leaveToOwner } from '../file-owner.ts'
import { answering, type Invocation } from '../invocation.ts'
import { count, type Answer } from '../output/command-answer.ts'
import { readPublicKeyFile } from '../output/terminal.ts'
import { type InspectedBackup, inspectFolder } from './backup-inspection.ts'
import { previewBackup } from './backup-preview.ts'
import {
  checkEmpty,
  checkEmptyPostgres,
  clearInterrupted,
  type KeptFiles,
  placeAll,
  placementsOf,
  unpackBackup,
} from './restoration.ts'
import { restoredConfiguration, type RestoredConfiguration } from './restored-configuration.ts'
import { writeWhole } from './restored-places.ts'
import { checkSameKeys } from './restored-token.ts'
import { startLine } from './start-line.ts'
import { describeBackup, readIdentities, verdictOn } from './verify.ts'

const help = `
Into an empty place: an installation without data, or below a folder of its own (--into). Give what is not in
a backup: the PIN of its token (--pin-file), the key of TLS (--tls-key), for PostgreSQL the URL of an
empty database. The token of another module than SoftHSM2 must hold the restored keys already.

A backup names programs and files that root uses from then on, and an attacker can encrypt one to a recipient:
--public-key names the audit key of the appliance that you keep elsewhere, which has to have signed it. If you
have lost that file, take the one in the backup (trail/audit-public.pem) only after you have compared the
key that "backup verify" shows with a record of it.

Every file is put back in its place, with mode and owner. All sessions end, and one-time links that wait are
gone; keys of AES-GCM encrypt by new versions, because counts went back; what users' devices may have made
since is used up as far as that can be known: hardware tokens have to be plugged in again, users of
authenticator apps to wait for a minute. What was changed after the backup is lost. If it is interrupted, it can
be run again.

Examples:
  strongroom backup restore strongroom.age --identity backup-identity.txt --public-key audit-public.pem \\
    --pin-file pin --tls-key server.key
  strongroom backup restore strongroom.age --identity backup-identity.txt --public-key audit-public.pem \\
    --pin-file pin --tls-key server.key --into /srv/trial`

interface Options {
  readonly identity: string
  readonly publicKey: string
  readonly into?: string
  readonly pinFile?: string
  readonly tlsKey?: string
  readonly postgresUrlFile?: string
}

export function addBackupRestore(backup: Command): void {
  backup
    .command('restore <file>')
    .description('restore the whole appliance from a backup')
    .requiredOption('--identity <file>', 'identity of one of its recipients')
    .requiredOption('--public-key <file>', 'PEM file with the public audit key of the appliance')
    .option('--into <folder>', 'put everything below this folder, with the paths of the configuration')
    .option('--pin-file <file>', 'PIN of the token')
    .option('--tls-key <file>', 'private key of the server certificate')
    .option('--postgres-url-file <file>', 'URL of the empty database')
    .addHelpText('after', help)
    .action(answering(restore))
}

async function restore(invocation: Invocation, file: string, options: Options): Promise<Answer> {
  const { terminal } = invocation
  const identities = readIdentities(options.identity)
  const publicKey = await readPublicKeyFile(terminal, options.publicKey)
  const folder = join(resolve(options.into ?? '/'), 'var/lib/strongroom-restore')
  const halfFilled = clearInterrupted(folder)
  // Both users must be able to pass the folders above; only root may enter this one.
  await makeFolder(dirname(folder), 0o755)
  await makeFolder(folder)
  try {
    // The backup is read twice: nothing is written until the signed manifest is known.
    terminal.remark('Reading the backup …')
    const { manifest } = await previewBackup(file, identities, publicKey)
    terminal.remark('Unpacking it …')
    const read = await unpackBackup({ file, identities, expected: manifest }, folder)
    const found = await inspectFolder(folder, read, publicKey)
    if (found.damage.length + found.newer.length > 0) throw new BackupError(verdictOn(found))
    const configuration = restoredConfiguration(folder, found.manifest, options.into)
    await putInPlace({ folder, configuration, found, kept: keptFiles(configuration, options), halfFilled })
    if (options.into !== undefined) makeSocketFolders(configuration)
    terminal.remark('Raising counters that must not go backwards …')
    const accepted = await bringForward({ ...invocation, config: configuration.workingFile }, found)
    if (configuration.token !== undefined) leaveToOwner(configuration.token)
    writeConfiguration(configuration)
    return await answerOf({ ...invocation, config: configuration.file }, configuration, file, { found, accepted })
  } finally {
    clearInterrupted(folder)
  }
}

function keptFiles({ config }: RestoredConfiguration, { pinFile, tlsKey, postgresUrlFile }: Options): KeptFiles {
  const pin = pinFile ?? config.hsm.pinFile
  if (!existsSync(pin))
    throw new BackupError(
      `The PIN is in no backup: give the file that holds it (--pin-file), or put it to ${config.hsm.pinFile}.`,
    )
  // Check that others cannot read it, as for the file in the configuration.
  readSecret(pin)
  return { 'hsm.pinFile': pin, 'tls.key': tlsKey, 'store.postgresUrlFile': postgresUrlFile }
}

async function putInPlace({
  folder,
  configuration,
  found,
  kept,
  halfFilled,
}: {
  readonly folder: string
  readonly configuration: RestoredConfiguration
  readonly found: InspectedBackup
  readonly kept: KeptFiles
  readonly halfFilled: string | undefined
}): Promise<void> {
  const placements = placementsOf(folder, configuration, found, kept)
  await checkEmpty(configuration, placements)
  await checkEmptyPostgres(configuration, kept, halfFilled)
  await placeAll(folder, configuration, placements, kept)
}

/**
 * Creates the folders of sockets for a restore into a folder. Otherwise systemd creates them, or a daemon that root
 * starts for two users.
 */
function makeSocketFolders({ config }: RestoredConfiguration): void {
  if (config.processes !== undefined) return
  const { uid, gid } = statSync(dirname(keeperOf(config).state))
  for (const folder of config.hsm.sockets.map((socket) => dirname(socket))) {
    mkdirSync(folder, { recursive: true, mode: 0o755 })
    chmodSync(folder, 0o700)
    if (process.getuid?.() === 0) chownSync(folder, uid, gid)
  }
}

interface Forwarded extends AcceptedDatabase {
  readonly otps: RaisedCounters
  /** Number of keys in the token that belong to no vault. */
  readonly stray: number
}

/** Raises counters that the restored database set back, with the restored token and keeper. */
async function bringForward(invocation: Invocation, found: InspectedBackup): Promise<Forwarded> {
  return withAppliance(invocation, async (context) => {
    await checkSameKeys(context.token.hsm, found)
    const { hotpLookAhead, totpDriftSteps } = context.config.otp
    const target = `manifest ${found.signed.manifest}`
    // Stray keys were created after the database's snapshot, or deleted just before it.
    const { stray } = await compareVaultKeys(context.config)
    // If the token is not from the backup, other databases may use it: a newer backup, or the appliance itself during a
    // trial restore.
    const unused = found.manifest.token.included ? stray : []
    const { more, ...accepted } = await acceptRestored(context, { operation: 'backup.restore', target }, async (tx) => {
      await markStray(context.token.hsm, tx, unused, Date.now())
      return raiseCounters(context.token.hsm, tx, { now: Date.now(), hotpLookAhead, totpDriftSteps })
    })
    return { ...accepted, otps: more, stray: stray.length }
  })
}

/** Written last, because no daemon starts without it. */
function writeConfiguration({ file, text }: RestoredConfiguration): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
  writeWhole(file, text, 0o644)
}

async function answerOf(
  invocation: Invocation,
  { config, file: configuration }: RestoredConfiguration,
  file: string,
  { found, accepted }: { readonly found: InspectedBackup; readonly accepted: Forwarded },
): Promise<Answer> {
  const { ended, closed, broken, otps, stray } = accepted
  const doctor = await examine(invocation, { beforeStart: true })
  const next = startLine(configuration, config)
  return {
    json: { configuration, manifest: found.manifest, ended, closed, broken, otps, stray, doctor: doctor.json, next },
    lines: [
      ...describeBackup(file, found, true),
      '',
      `Restored: ${configuration}, and what it names.`,
      ...(found.trail.sound ? [] : [verdictOn(found)]),
      `${count(ended, 'session')} ended; ${count(closed, 'version')} of keys closed for encryption, so that the next encryption makes new ones.`,
      `${count(otps.raised, 'device')} of one-time passwords raised: hardware tokens have to be plugged in again, users of authenticator apps to wait for a minute.`,
      ...(stray === 0
        ? []
        : [
            `${count(stray, 'key')} in the token that no restored vault has: ${found.manifest.token.included ? 'the daemon destroys them' : 'they stay, for a newer backup may have their vaults'}.`,
          ]),
      ...(broken + otps.broken === 0 ? [] : [`${broken + otps.broken} rows of counts and devices bear no good seal.`]),
      'What was changed since the backup was taken is lost; strongroom audit verify --database names rows that the trail knows newer.',
      '',
      ...doctor.lines,
      `Next: ${next}`,
    ],
  }
}
