import type { Command } from 'commander'
import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { beginCeremony } from '../../hsm/pkcs11/backup-adoption.ts'
import { digestOf } from '../../hsm/pkcs11/ceremony-papers.ts'
import { recordAlone } from '../console-context.ts'
import { answering, type Invocation } from '../invocation.ts'
import { table, type Answer } from '../output/command-answer.ts'
import { ceremonyOptions, type CeremonyFlags, requireStopped, ofCeremony } from './ceremony.ts'
import { leaveTokenToOwner } from '../file-owner.ts'

export function addBackupKeysInvite(backupKeys: Command): void {
  ofCeremony(backupKeys.command('invite'))
    .description('begin a ceremony: ask another appliance for its backup keys')
    .requiredOption('--out <file>', 'where to write the request')
    .action(answering(invite))
}

async function invite(invocation: Invocation, { out, ...flags }: CeremonyFlags & { out: string }): Promise<Answer> {
  const { config, options } = await ceremonyOptions(invocation, flags)
  await requireStopped(config)
  // Recorded before the PIN changes: without a record the ceremony does not start.
  await recordAlone(invocation, config, { operation: 'backup-keys.invite', target: basename(out) })
  const request = beginCeremony(options)
  leaveTokenToOwner(config)
  writeFileSync(out, request, { mode: 0o600 })
  const digest = digestOf(request)
  const next =
    'Carry the request to the other appliance and read the digits to its operator. The token has a PIN that no person knows until "strongroom backup-keys adopt" ends the ceremony.'
  return {
    json: { request: out, digest },
    lines: [
      ...table([
        ['request', out],
        ['digits', digest],
      ]),
      '',
      next,
    ],
  }
}
