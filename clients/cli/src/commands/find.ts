import type { Command } from 'commander'
import type { Connection } from '../connection.ts'
import { connected, type Invocation } from '../invocation.ts'
import { createLookup } from '../lookup.ts'
import { table } from '../terminal.ts'

export function addFind(program: Command): void {
  program
    .command('find')
    .description('find objects whose name or open fields hold a text, in every vault that is shared with you')
    .argument('<text>', 'what to look for, in any case of its letters')
    .addHelpText('after', '\nExample:\n  strongroom-cli find db1.example.com')
    .action(connected(find))
}

async function find({ client }: Connection, { terminal }: Invocation, text: string) {
  const { OBJECT, VAULTS, TEMPLATES } = await client.call('object.find', { query: { needle: text } })
  const lookup = createLookup(client)
  const found = await Promise.all(
    OBJECT.flatMap((object) => {
      const vault = VAULTS.find(({ id }) => id === object.groupid)
      const template = TEMPLATES.find(({ id }) => id === object.templateid)?.info.name ?? ''
      return vault === undefined
        ? []
        : [lookup.referenceTo(vault, object).then((reference) => ({ id: object.id, reference, template }))]
    }),
  )
  const rows = found.map(({ id, reference, template }) => [`id:${id}`, reference, template])
  return { json: found, text: table(rows, terminal) }
}
