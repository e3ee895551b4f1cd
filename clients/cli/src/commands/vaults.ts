import type { Command } from 'commander'
import type { Connection } from '../connection.ts'
import { connected, type Invocation } from '../invocation.ts'
import { createLookup } from '../lookup.ts'
import { readPlace } from '../reference.ts'
import { table } from '../terminal.ts'

export function addVaults(program: Command): void {
  program
    .command('vaults')
    .description('list the vaults that are shared with you, or what lies in one')
    .argument('[vault]', 'name of a vault, or id:NUMBER')
    .addHelpText('after', '\nExamples:\n  strongroom-cli vaults\n  strongroom-cli vaults Servers')
    .action(connected(listVaults))
}

async function listVaults({ client }: Connection, { terminal }: Invocation, place?: string) {
  const lookup = createLookup(client)
  if (place === undefined) {
    const { VAULTS } = await client.call('vault.list')
    const vaults = VAULTS.map(({ id, groupname, statustext, description }) => ({
      id,
      name: groupname,
      permission: statustext,
      description,
    }))
    return {
      json: vaults,
      text: table(
        vaults.map(({ id, name, permission, description }) => [`id:${id}`, name, permission, description]),
        terminal,
      ),
    }
  }
  const vault = await lookup.vault(readPlace(place).vault)
  const { OBJECTS, TEMPLATES } = await lookup.contents(vault)
  const objects = await Promise.all(
    OBJECTS.map(async (object) => {
      const template = TEMPLATES.find(({ id }) => id === object.templateid)
      return {
        id: object.id,
        reference: await lookup.referenceTo(vault, object),
        template: template?.info.name ?? '',
        fields: (template?.structure ?? []).map(({ fieldname }) => fieldname),
      }
    }),
  )
  return {
    json: objects,
    text: table(
      objects.map(({ id, reference, template, fields }) => [`id:${id}`, reference, template, fields.join(' ')]),
      terminal,
    ),
  }
}
