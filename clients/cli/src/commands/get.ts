import type { Command } from 'commander'
import type { Connection } from '../connection.ts'
import { connected, type Invocation } from '../invocation.ts'
import { createLookup } from '../lookup.ts'
import { readFieldReference } from '../reference.ts'

export function addGet(program: Command): void {
  program
    .command('get')
    .description('print one field of an object')
    .argument('<reference>', 'VAULT/OBJECT/FIELD')
    .option('--no-newline', 'print the value alone, without a line break behind it')
    .addHelpText(
      'after',
      '\nExamples:\n  strongroom-cli get Servers/db1/password\n  strongroom-cli get id:3/id:17/password',
    )
    .action(connected(get))
}

async function get({ client }: Connection, _invocation: Invocation, text: string, { newline }: { newline: boolean }) {
  const reference = readFieldReference(text)
  const value = await createLookup(client).value(reference)
  return { json: { reference: text, value }, text: newline ? `${value}\n` : value }
}
