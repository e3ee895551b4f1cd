import { Option, type Command } from 'commander'
import { capabilitiesOf, capabilityBits, namesOf, type Capability } from '../../access/capabilities.ts'
import type { Answer } from '../output/command-answer.ts'
import { withAppliance } from '../console-context.ts'
import { UsageError } from '../exit-code.ts'
import { answering, type Invocation } from '../invocation.ts'

const help = `
What is not named stays as it is; --capability names all that the user may do from now on, and takes effect at the
next call of an open session.

Examples:
  strongroom user edit alice --fullname 'Alice Newname' --email alice.newname@example.org
  strongroom user edit alice --capability read createVault audit active
  strongroom user edit alice --username alice.newname`

interface Options {
  readonly username?: string
  readonly fullname?: string
  readonly email?: string
  readonly capability?: readonly Capability[]
}

export function addUserEdit(user: Command): void {
  user
    .command('edit')
    .description('change a user')
    .argument('<name>', 'login name')
    .option('--username <name>', 'new login name: 5 to 32 letters, digits and - _ . @')
    .option('--fullname <text>', 'full name, 5 to 64 characters')
    .option('--email <address>', 'e-mail address')
    .addOption(new Option('--capability <name...>', 'what the user may do').choices(Object.keys(capabilityBits)))
    .addHelpText('after', help)
    .action(answering(editUser))
}

async function editUser(invocation: Invocation, name: string, options: Options): Promise<Answer> {
  const { capability, ...fields } = options
  const changed = Object.keys(options)
  if (changed.length === 0) throw new UsageError('Say what to change: --username, --fullname, --email or --capability.')
  const capabilities = capability && (() => capabilitiesOf(capability))
  const user = await withAppliance(invocation, ({ change, services: { users } }) =>
    change('user.edit', `user ${name}: ${changed.join(', ')}`, async (commit) =>
      users.change((await users.find(name)).id, { ...fields, capabilities }, commit),
    ),
  )
  const { id, username, fullname, email } = user
  const names = namesOf(user.capabilities)
  return {
    json: { id, username, fullname, email, capabilities: names },
    lines: [`User ${username} (id ${id}) is now: ${fullname}, ${email}; ${names.join(', ') || 'no capabilities'}.`],
  }
}
