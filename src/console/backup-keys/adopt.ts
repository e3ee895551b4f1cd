import type { Command } from 'commander'
import { basename } from 'node:path'
import { loadConfig, textOf } from '../../config/loader.ts'
import { adoptBackupKeys } from '../../hsm/pkcs11/backup-sharing.ts'
import { recordAlone } from '../console-context.ts'
import { answering, type Invocation } from '../invocation.ts'
import { table, type Answer } from '../output/command-answer.ts'
import { ceremonyHelp, leaveTokenToOwner, sharingOptions } from './share.ts'

export function addBackupKeysAdopt(backupKeys: Command): void {
  backupKeys
    .command('adopt')
    .argument('<package>', 'the file that the other appliance wrote for this one')
    .description('Takes over backup keys that another appliance shares with this one.')
    .addHelpText('after', ceremonyHelp)
    .action(answering(adopt))
}

async function adopt(invocation: Invocation, file: string): Promise<Answer> {
  const config = loadConfig(invocation.config)
  const text = textOf(file, await invocation.terminal.readInput(file))
  await recordAlone(invocation, config, 'backup-keys.adopt', basename(file), performance.now())
  const adopted = adoptBackupKeys(sharingOptions(config), text)
  leaveTokenToOwner(config)
  const facts = table([
    ['version', String(adopted.version)],
    ['check value', adopted.check],
  ])
  return {
    json: adopted,
    lines: [...facts, '', 'Compare the check value with the appliance that made the package, then restart the daemon.'],
  }
}
