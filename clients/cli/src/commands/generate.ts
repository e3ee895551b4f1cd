import { Option, type Command } from 'commander'
import type { Connection } from '../connection.ts'
import { Refusal } from '../exit-code.ts'
import { connected, type Invocation } from '../invocation.ts'

interface GenerateOptions {
  readonly type: 'secure' | 'pin' | 'pronounceable' | 'bytes' | 'opie' | 'diceword'
  readonly length?: string
  readonly policy?: string
  readonly words?: string
}

export function addGenerate(program: Command): void {
  program
    .command('generate')
    .description('print a new password, made by the appliance and kept nowhere')
    .addOption(
      new Option('--type <type>', 'kind of the password')
        .choices(['secure', 'pin', 'pronounceable', 'bytes', 'opie', 'diceword'])
        .default('secure'),
    )
    .option('--length <characters>', 'length; 40 of secure, 4 of pin, 12 of pronounceable, 32 of bytes when absent')
    .option('--policy <id>', 'the password policy that it is to keep; goes before --type')
    .option('--words <count>', 'of diceword: how many words; 5 when absent')
    .addHelpText(
      'after',
      '\nExamples:\n  strongroom-cli generate --length 24\n  strongroom-cli generate --type diceword --words 6',
    )
    .action(connected(generate))
}

async function generate(
  { client }: Connection,
  _invocation: Invocation,
  { type, length, policy, words }: GenerateOptions,
) {
  const query = {
    type,
    ...(length === undefined ? {} : { length }),
    ...(policy === undefined ? {} : { policyid: policy }),
    ...(words === undefined ? {} : { words }),
  }
  const { CALLINFO } = await client.call('utils.pwgen', { query })
  if (CALLINFO === undefined) throw new Refusal('The answer holds no password.')
  return { json: { password: CALLINFO.passphrase }, text: `${CALLINFO.passphrase}\n` }
}
