import { operatorId } from '../../access/confirmation.ts'
import type { Command } from 'commander'
import type { Answer } from '../output/command-answer.ts'
import { onHoldNotice } from '../../features/users/recovery.ts'
import { withAppliance } from '../console-context.ts'
import { answering, type Invocation } from '../invocation.ts'
import { newPassphrase } from '../output/terminal.ts'

const help = `
The user's sessions end, and the next login asks the user to change the pass phrase. It is asked for on the
terminal, or read from a file; it is never an argument. The user's memberships are on hold until another Admin of
each vault confirms them, or strongroom vault confirm where there is none.

Example:
  strongroom user passphrase alice`

export function addUserPassphrase(user: Command): void {
  user
    .command('passphrase')
    .description('give a user a new pass phrase')
    .argument('<name>', 'login name')
    .option('--passphrase-file <file>', 'file with the pass phrase, readable only by you; - is standard input')
    .addHelpText('after', help)
    .action(answering(resetPassphrase))
}

async function resetPassphrase(
  invocation: Invocation,
  username: string,
  { passphraseFile }: { readonly passphraseFile?: string },
): Promise<Answer> {
  const passphrase = await newPassphrase(invocation.terminal, passphraseFile)
  const { ended, notice } = await withAppliance(
    invocation,
    async ({ change, services: { users, passphraseChanges, recoveries } }) => {
      const reset = await change('user.passphrase', `user ${username}`, async (commit) =>
        passphraseChanges.reset((await users.find(username)).id, passphrase, operatorId, commit),
      )
      return { ...reset, notice: await onHoldNotice(recoveries, (await users.find(username)).id) }
    },
  )
  return {
    json: { username, ended },
    lines: [`User ${username} has another pass phrase, to be changed at the next login.`, ...notice],
  }
}
