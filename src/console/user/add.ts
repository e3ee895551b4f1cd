import { operatorId } from '../../access/confirmation.ts'
import { Option, type Command } from 'commander'
import { capabilitiesOf, capabilityBits, capabilityText, namesOf, type Capability } from '../../access/capabilities.ts'
import { withAppliance } from '../console-context.ts'
import { explainTaken } from '../interrupted-run.ts'
import { answering, type Invocation } from '../invocation.ts'
import { newPassphrase } from '../output/terminal.ts'
import type { Answer } from '../output/command-answer.ts'

const usual: readonly Capability[] = ['read', 'createVault', 'active']
const administrator: readonly Capability[] = ['admin', 'audit']

const help = `
The pass phrase is asked for on the terminal, or read from a file; it is never an argument, because arguments
can be seen by every user of the machine. A login needs a second factor too: strongroom otp enroll.

Examples:
  strongroom user add alice --fullname 'Alice Example' --email alice@example.org
  strongroom user add auditor --fullname 'The Auditor' --email audit@example.org --capability read audit active
  pwgen 24 1 | strongroom user add robot --fullname 'A machine' --email robot@example.org --passphrase-file -`

interface Options {
  readonly fullname: string
  readonly email: string
  readonly capability: readonly Capability[]
  readonly admin?: true
  readonly passphraseFile?: string
}

export function addUserAdd(user: Command): void {
  user
    .command('add')
    .description('add a user')
    .argument('<name>', 'login name: 5 to 32 letters, digits and - _ . @')
    .requiredOption('--fullname <text>', 'full name, 5 to 64 characters')
    .requiredOption('--email <address>', 'e-mail address')
    .addOption(
      new Option('--capability <name...>', 'what the user may do')
        .choices(Object.keys(capabilityBits))
        .default(usual, usual.join(' ')),
    )
    .option('--admin', `adds the capabilities ${administrator.join(' and ')}`)
    .option(
      '--passphrase-file <file>',
      'file with the pass phrase (12 characters or more), readable only by you; - is standard input',
    )
    .addHelpText('after', help)
    .action(answering(addUser))
}

const howToGoOn = 'see strongroom user list, and go on with strongroom user passphrase and otp enroll'

async function addUser(invocation: Invocation, username: string, options: Options): Promise<Answer> {
  const { fullname, email } = options
  const passphrase = await newPassphrase(invocation.terminal, options.passphraseFile)
  const capabilities = capabilitiesOf([...options.capability, ...(options.admin ? administrator : [])])
  const user = await withAppliance(invocation, ({ change, services }) =>
    change('user.add', `user ${username}`, (commit) =>
      services.users
        .create({ username, fullname, email, capabilities, passphrase }, operatorId, commit)
        .catch((error: unknown) => explainTaken(error, 'the user', howToGoOn)),
    ),
  )
  return {
    json: {
      id: user.id,
      username,
      fullname,
      email,
      capabilities: namesOf(user.capabilities),
      fingerprint: user.fingerprint,
    },
    lines: [
      `User ${username} added (id ${user.id}): ${capabilityText(user.capabilities)}.`,
      `Next: strongroom otp enroll ${username} --totp`,
    ],
  }
}
