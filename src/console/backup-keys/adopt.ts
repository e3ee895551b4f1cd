import type { Command } from 'commander'
import { basename } from 'node:path'
import { keeperOf } from '../../config/keeper-section.ts'
import { textOf } from '../../config/loader.ts'
import { noteRootsIn } from '../../hsm/keeper/known-roots.ts'
import { abandonCeremony, adoptBackupKeys } from '../../hsm/pkcs11/backup-adoption.ts'
import { digestOf, readPackage } from '../../hsm/pkcs11/ceremony-papers.ts'
import { rootLabel } from '../../hsm/pkcs11/root-objects.ts'
import { recordAlone } from '../console-context.ts'
import { UsageError } from '../exit-code.ts'
import { answering, type Invocation } from '../invocation.ts'
import { table, type Answer } from '../output/command-answer.ts'
import { ceremonyOptions, type CeremonyFlags, heardDigest, requireStopped, ofCeremonyWithDigits } from './ceremony.ts'
import { leaveDatabaseToOwner, leaveTokenToOwner } from '../file-owner.ts'

export function addBackupKeysAdopt(backupKeys: Command): void {
  ofCeremonyWithDigits(backupKeys.command('adopt'))
    .argument('[package]', 'the file that the other appliance wrote for this one')
    .description('take over backup keys that another appliance shares with this one, and end the ceremony')
    .option('--abandon', 'ends the ceremony without a package')
    .action(answering(adopt))
}

async function adopt(
  invocation: Invocation,
  file: string | undefined,
  { abandon, ...flags }: CeremonyFlags & { abandon?: true },
): Promise<Answer> {
  if ((file === undefined) !== (abandon === true)) throw new UsageError('Name the package, or give only --abandon.')
  if (file === undefined) return abandonIt(invocation, flags)
  const text = textOf(file, await invocation.terminal.readInput(file))
  // Before asking for digits: reject a file that is not a package.
  readPackage(text)
  const heard = await heardDigest(invocation.terminal, flags, 'package')
  const { config, options } = await ceremonyOptions(invocation, flags)
  await requireStopped(config)
  const startedTick = performance.now()
  const { floors } = keeperOf(config)
  const versions = adoptBackupKeys(options, text, heard, (adopted) =>
    noteRootsIn(
      floors,
      adopted.map((version) => rootLabel('kek.backup', version)),
    ),
  )
  leaveDatabaseToOwner(floors)
  leaveTokenToOwner(config)
  // Recorded at the end, because during the ceremony the token has no PIN to record with. `invite` recorded the start.
  await recordAlone(invocation, config, { operation: 'backup-keys.adopt', target: basename(file), startedTick })
  return {
    json: { versions, digest: digestOf(text) },
    lines: [...table([['versions', versions.join(', ')]]), '', 'The token has its own PIN again: start the daemon.'],
  }
}

async function abandonIt(invocation: Invocation, flags: CeremonyFlags): Promise<Answer> {
  const { config, options } = await ceremonyOptions(invocation, flags)
  await requireStopped(config)
  const startedTick = performance.now()
  abandonCeremony(options)
  leaveTokenToOwner(config)
  await recordAlone(invocation, config, { operation: 'backup-keys.abandon', target: '', startedTick })
  return { json: { abandoned: true }, lines: ['The token has its own PIN again: start the daemon.'] }
}
