import type { Command } from 'commander'
import { loadConfig } from '../../config/loader.ts'
import type { Config } from '../../config/schema.ts'
import { changePin } from '../../hsm/server/pin-change.ts'
import { pinSourcesOf } from '../../hsm/server/token-location.ts'
import { recordAlone } from '../console-context.ts'
import { UsageError } from '../exit-code.ts'
import { leaveTokenToOwner } from '../file-owner.ts'
import { answering, type Invocation } from '../invocation.ts'
import { table, type Answer } from '../output/command-answer.ts'
import { pinCredentialOf } from './encrypted-pin.ts'
import { renewLogins } from './holders-restart.ts'
import { givenPin, type NewPinFlags, randomPin } from './new-pin.ts'
import { changeOfficerPin } from './officer-pin.ts'

const help = `
The daemon may run. Without further options the new PIN is drawn at random and not shown: it lies in
hsm.pinFile only, or in the credential that systemd-creds has encrypted beside it (hsm.pinFile with .cred).
If it is interrupted, run it again: it finds out which PIN the token has, and finishes.

With --so it is the PIN of the security officer, which is kept nowhere: the new one is shown before it is set.

Examples:
  strongroom token change-pin
  strongroom token change-pin --new-pin-file /root/pin
  strongroom token change-pin --so`

export function addTokenChangePin(token: Command): void {
  token
    .command('change-pin')
    .description('give the token a new PIN, and write it to hsm.pinFile')
    .option('--new-pin-file <file>', 'the new PIN, - for standard input; drawn at random without it')
    .option('--ask', 'asks for the new PIN at the terminal')
    .option('--with-key <kind>', 'for systemd-creds encrypt, where the PIN is encrypted', 'auto')
    .option('--so', 'changes the PIN of the security officer')
    .option('--so-pin-file <file>', 'with --so: its PIN of today, - for standard input; asked for without it')
    .addHelpText('after', help)
    .action(answering((invocation, flags: ChangePinFlags) => change(invocation, flags)))
}

interface ChangePinFlags extends NewPinFlags {
  readonly withKey: string
  readonly so?: true
  readonly soPinFile?: string
}

async function change(invocation: Invocation, flags: ChangePinFlags): Promise<Answer> {
  if (flags.newPinFile === '-' && flags.soPinFile === '-')
    throw new UsageError('Standard input holds one PIN: name a file for the other.')
  const config = loadConfig(invocation.config)
  const given = await givenPin(invocation.terminal, flags)
  return flags.so === true
    ? changeOfficerPin(invocation, config, flags, given)
    : changeUserPin(invocation, config, flags, given)
}

async function changeUserPin(
  invocation: Invocation,
  config: Config,
  { withKey }: ChangePinFlags,
  given: string | undefined,
): Promise<Answer> {
  const startedTick = performance.now()
  const { module, token: uri, softhsmConf, tokenDirectory, pinFile } = config.hsm
  const credential = pinCredentialOf(pinFile, withKey)
  const isResumed = credential.readNext() !== undefined
  const record = () =>
    recordAlone(invocation, config, { operation: 'token.change-pin', target: credential.file, startedTick })
  // Recorded before the change: without a record nothing is changed. An interrupted change has its record already.
  if (!isResumed) await record()
  const outcome = changePin({
    location: { module, uri, softhsmConf, tokenDirectory },
    credential,
    refusedPins: pinSourcesOf(config).refusedPins,
    newPin: (limits) => given ?? randomPin(limits),
  })
  leaveTokenToOwner(config)
  const next = await renewLogins(invocation, config)
  if (isResumed) await record()
  const what = outcome === 'changed' ? 'changed' : 'an interrupted change is finished: run it again for another PIN'
  return {
    json: { outcome, file: credential.file, next },
    lines: [
      ...table([
        ['PIN', what],
        ['file', credential.file],
      ]),
      '',
      next,
    ],
  }
}
