import type { Config } from '../../config/schema.ts'
import { withDirectorySync } from '../../hsm/pkcs11/directory-sync.ts'
import { asSecurityOfficer } from '../../hsm/pkcs11/security-officer.ts'
import { tokenLocationOf } from '../../hsm/server/token-location.ts'
import { soPin as currentPin } from '../backup-keys/ceremony.ts'
import { recordAlone } from '../console-context.ts'
import { UsageError } from '../exit-code.ts'
import { leaveTokenToOwner } from '../file-owner.ts'
import type { Invocation } from '../invocation.ts'
import type { Answer } from '../output/command-answer.ts'
import { randomPin } from './new-pin.ts'

/**
 * Changes the PIN of the security officer. No file of the machine has it, so a random one is shown before it is set.
 * After an interruption the officer then knows both the old and the new one.
 */
export async function changeOfficerPin(
  invocation: Invocation,
  config: Config,
  flags: { readonly soPinFile?: string },
  given: string | undefined,
): Promise<Answer> {
  const startedTick = performance.now()
  const fresh = given ?? (await shownPin(invocation))
  const before = await currentPin(invocation.terminal, flags)
  await recordAlone(invocation, config, { operation: 'token.change-so-pin', target: '', startedTick })
  const { tokenDirectory } = config.hsm
  withDirectorySync(tokenDirectory, () =>
    asSecurityOfficer(tokenLocationOf(config), before, (officer) => officer.changeOwnPin(fresh)),
  )
  leaveTokenToOwner(config)
  return {
    json: { outcome: 'changed' },
    lines: ['The security officer has the new PIN. The old one is refused; nothing else has changed.'],
  }
}

async function shownPin({ terminal, json }: Invocation): Promise<string> {
  if (!terminal.isInteractive || json === true)
    throw new UsageError(
      'Without a terminal, or with --json, a new SO PIN cannot be shown before it is set: give --new-pin-file FILE.',
    )
  const pin = randomPin()
  terminal.complain(`SO PIN to be: ${pin}`)
  const answer = await terminal.ask(
    'Write it down: it is kept nowhere. Keep the old one until this is done. Type yes: ',
  )
  if (answer.trim() !== 'yes') throw new UsageError('Nothing was changed.')
  return pin
}
