import type { Command } from 'commander'
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { loadConfig, readSecret, textOf } from '../../config/loader.ts'
import type { Config } from '../../config/schema.ts'
import { Fault } from '../../fault.ts'
import { adoptBackupKeys, createSharedBackupKeys, type BackupSharingOptions } from '../../hsm/pkcs11/backup-sharing.ts'
import { table, type Answer } from '../output/answer.ts'
import { recordAlone } from '../console-context.ts'
import { answering, type Invocation } from '../invocation.ts'
import { leaveToOwner } from '../ownership.ts'
import type { Terminal } from '../output/terminal.ts'
import { readPublicKeyFile } from '../public-key-file.ts'

const shareHelp = `
Backups of keys can be restored wherever the same backup keys are. They are passed on once, when they are made:
name every other appliance now. Each gets a package that only its token can open. Compare the check value by voice
on all of them, then restart the daemons: new backups use the new keys.

Examples:
  other$ strongroom token transport-key >other.pem
  this$  strongroom backup-keys share --for other.pem --out packages
  other$ strongroom backup-keys adopt packages/other.pem.package`

/** `backup-keys share` and `adopt`: the ceremony that lets one appliance restore what another has backed up. */
export function addBackupKeys(backupKeys: Command): void {
  backupKeys
    .command('share')
    .description('Makes new backup keys, shared with the appliances whose transport keys are given.')
    .requiredOption('--for <file...>', 'transport public keys of the other appliances (PEM)')
    .requiredOption('--out <folder>', 'where to write a package for each of them')
    .addHelpText('after', shareHelp)
    .action(answering(share))
  backupKeys
    .command('adopt')
    .argument('<package>', 'the file that the other appliance wrote for this one')
    .description('Takes over backup keys that another appliance shares with this one.')
    .addHelpText('after', shareHelp)
    .action(answering(adopt))
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
  const shared = createSharedBackupKeys({ ...sharing(config), recipients })
  ownToken(config)
  const written = files.map((file, at) => {
    const place = join(out, `${basename(file)}.package`)
    writeFileSync(place, shared.packages[at] ?? '', { mode: 0o600, flag: 'wx' })
    return place
  })
  const facts = table([
    ['version', String(shared.version)],
    ['check value', shared.check],
    ...written.map((place) => ['package', place]),
  ])
  const next =
    'Carry each package to its appliance, run "strongroom backup-keys adopt" there, compare the check value, and restart the daemons.'
  return { json: { version: shared.version, check: shared.check, packages: written }, lines: [...facts, '', next] }
}

async function adopt(invocation: Invocation, file: string): Promise<Answer> {
  const config = loadConfig(invocation.config)
  const text = textOf(file, await invocation.terminal.readInput(file))
  await recordAlone(invocation, config, 'backup-keys.adopt', basename(file), performance.now())
  const adopted = adoptBackupKeys(sharing(config), text)
  ownToken(config)
  const facts = table([
    ['version', String(adopted.version)],
    ['check value', adopted.check],
  ])
  return {
    json: adopted,
    lines: [...facts, '', 'Compare the check value with the appliance that made the package, then restart the daemon.'],
  }
}

function sharing({ hsm }: Config): BackupSharingOptions {
  const { module, token: uri, softhsmConf, tokenDirectory, pinFile } = hsm
  return { module, uri, softhsmConf, tokenDirectory, readPin: () => readSecret(pinFile) }
}

function ownToken({ hsm }: Config): void {
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
