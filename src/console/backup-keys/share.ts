import type { Command } from 'commander'
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { loadConfig, readSecret } from '../../config/loader.ts'
import type { Config } from '../../config/schema.ts'
import { Fault } from '../../fault.ts'
import { type BackupSharingOptions, createSharedBackupKeys } from '../../hsm/pkcs11/backup-sharing.ts'
import { table, type Answer } from '../output/command-answer.ts'
import { leaveToOwner, recordAlone } from '../console-context.ts'
import { answering, type Invocation } from '../invocation.ts'
import { readPublicKeyFile, type Terminal } from '../output/terminal.ts'

/** The ceremony that lets one appliance restore what another has backed up, for both of its commands. */
export const ceremonyHelp = `
Backups of keys can be restored wherever the same backup keys are. They are passed on once, when they are made:
name every other appliance now. Each gets a package that only its token can open. Compare the check value by voice
on all of them, then restart the daemons: new backups use the new keys.

Examples:
  other$ strongroom token transport-key >other.pem
  this$  strongroom backup-keys share --for other.pem --out packages
  other$ strongroom backup-keys adopt packages/other.pem.package`

export function addBackupKeysShare(backupKeys: Command): void {
  backupKeys
    .command('share')
    .description('Makes new backup keys, shared with the appliances whose transport keys are given.')
    .requiredOption('--for <file...>', 'transport public keys of the other appliances (PEM)')
    .requiredOption('--out <folder>', 'where to write a package for each of them')
    .addHelpText('after', ceremonyHelp)
    .action(answering(share))
}

async function share(invocation: Invocation, { for: files, out }: { for: string[]; out: string }): Promise<Answer> {
  const config = loadConfig(invocation.config)
  const recipients = await Promise.all(files.map((file) => readTransportKey(invocation.terminal, file)))
  // Before anything is made: what cannot be recorded is not done.
  await recordAlone(
    invocation,
    config,
    'backup-keys.share',
    files.map((file) => basename(file)).join(', '),
    performance.now(),
  )
  const shared = createSharedBackupKeys({ ...sharingOptions(config), recipients })
  leaveTokenToOwner(config)
  const written = files.map((file, at) => {
    const path = join(out, `${basename(file)}.package`)
    writeFileSync(path, shared.packages[at] ?? '', { mode: 0o600, flag: 'wx' })
    return path
  })
  const facts = table([
    ['version', String(shared.version)],
    ['check value', shared.check],
    ...written.map((path) => ['package', path]),
  ])
  const next =
    'Carry each package to its appliance, run "strongroom backup-keys adopt" there, compare the check value, and restart the daemons.'
  return { json: { version: shared.version, check: shared.check, packages: written }, lines: [...facts, '', next] }
}

export function sharingOptions({ hsm }: Config): BackupSharingOptions {
  const { module, token: uri, softhsmConf, tokenDirectory, pinFile } = hsm
  return { module, uri, softhsmConf, tokenDirectory, readPin: () => readSecret(pinFile) }
}

export function leaveTokenToOwner({ hsm }: Config): void {
  if (hsm.tokenDirectory !== undefined) leaveToOwner(hsm.tokenDirectory)
}

/** @throws Fault `import.invalid` */
async function readTransportKey(terminal: Terminal, file: string): Promise<Buffer> {
  try {
    return await readPublicKeyFile(terminal, file)
  } catch (cause) {
    throw new Fault(
      'import.invalid',
      `${file} is no public key: make it with "strongroom token transport-key" on the other appliance.`,
      { cause },
    )
  }
}
