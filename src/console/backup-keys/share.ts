import type { Command } from 'commander'
import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { textOf } from '../../config/loader.ts'
import { shareBackupKeys } from '../../hsm/pkcs11/backup-sharing.ts'
import { checkDigest, digestOf, readRequest } from '../../hsm/pkcs11/ceremony-papers.ts'
import { rootLabel, roleOf, versionOf } from '../../hsm/pkcs11/root-objects.ts'
import { recordAt, withToken } from '../console-context.ts'
import { answering, type Invocation } from '../invocation.ts'
import { table, type Answer } from '../output/command-answer.ts'
import { ceremonyOptions, type CeremonyFlags, heardDigest, ofCeremonyWithDigits } from './ceremony.ts'
import { leaveTokenToOwner } from '../file-owner.ts'
import { agreedStatus } from '../root-keys/root-versions.ts'

export function addBackupKeysShare(backupKeys: Command): void {
  ofCeremonyWithDigits(backupKeys.command('share'))
    .argument('<request>', 'the file that "backup-keys invite" wrote on the other appliance')
    .description('share the backup keys with the appliance that made a request')
    .requiredOption('--out <file>', 'where to write the package')
    .action(answering(share))
}

async function share(
  invocation: Invocation,
  file: string,
  { out, ...flags }: CeremonyFlags & { out: string },
): Promise<Answer> {
  const request = textOf(file, await invocation.terminal.readInput(file))
  const { receiver } = readRequest(request)
  const heard = await heardDigest(invocation.terminal, flags, 'request')
  checkDigest(request, heard)
  const { config, options } = await ceremonyOptions(invocation, flags)
  // Recorded before any key is created: without a record nothing is shared.
  const known = await withToken(invocation, config, async (context) => {
    await recordAt(context, { operation: 'backup-keys.share', target: basename(file) })
    const newest = (await agreedStatus(context.token.hsm)).objects.newest.find(
      (label) => roleOf(label) === 'kek.backup',
    )
    return newest === undefined ? undefined : versionOf(newest)
  })
  const shared = shareBackupKeys(options, request, heard, known)
  leaveTokenToOwner(config)
  await withToken(invocation, config, ({ token }) =>
    token.hsm.noteRoots(shared.versions.map((version) => rootLabel('kek.backup', version))),
  )
  writeFileSync(out, shared.package, { mode: 0o600, flag: 'wx' })
  const digest = digestOf(shared.package)
  const { versions, madeVersion } = shared
  return {
    json: { package: out, digest, versions, madeVersion },
    lines: [
      ...table([
        ['for', `${receiver.label}, serial ${receiver.serial}`],
        ['versions', versions.join(', ')],
        ['package', out],
        ['digits', digest],
      ]),
      '',
      `Carry the package to the other appliance and read the digits to its operator.${madeVersion ? ' Restart the daemon here: new backups use the version that was made.' : ''}`,
    ],
  }
}
