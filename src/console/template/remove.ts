import { InvalidArgumentError, type Command } from 'commander'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'

const help = `
A template that objects are made of cannot be removed: to stop its use, add it with --replace and "active": false.
The id is not used again.

Example:
  strongroom template remove 1001`

export function addTemplateRemove(template: Command): void {
  template
    .command('remove')
    .description('remove a template of the site that no object is made of')
    .argument('<id>', 'its id, see template list', siteId)
    .addHelpText('after', help)
    .action(
      answering(async (invocation, id: number) => {
        await withAppliance(invocation, ({ change, services }) =>
          change('template.remove', `template ${id}`, (commit) => services.siteTemplates.remove(id, commit)),
        )
        return { json: { id, removed: true }, lines: [`Template ${id} is removed.`] }
      }),
    )
}

function siteId(text: string): number {
  if (!/^[1-9]\d{3,8}$/.test(text) || Number(text) <= 1000)
    throw new InvalidArgumentError("Templates of the site have ids from 1001 on; the appliance's own stay.")
  return Number(text)
}
