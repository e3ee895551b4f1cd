import type { Command } from 'commander'
import type { Answer } from '../output/command-answer.ts'
import { withAppliance } from '../console-context.ts'
import { answering, type Invocation } from '../invocation.ts'
import { readTemplate } from './check.ts'

const help = `
All daemons that share the database serve it from the next call on; the file is no longer needed.
With --replace a template may get other words, another icon or further fields; the fields that
it has stay, encrypted or not as they are, because objects may have values in them.

Examples:
  strongroom template add router.json
  strongroom template add --replace router.json`

export function addTemplateAdd(template: Command): void {
  template
    .command('add')
    .description('add a template of the site, with an id above 1000')
    .argument('<file>', 'JSON file; - is standard input')
    .option('--replace', 'the template is there already: change it')
    .addHelpText('after', help)
    .action(answering(addTemplate))
}

async function addTemplate(invocation: Invocation, file: string, { replace }: { replace?: true }): Promise<Answer> {
  const template = await readTemplate(invocation.terminal, file)
  const { id, name } = template
  await withAppliance(invocation, ({ change, services: { siteTemplates } }) =>
    replace === true
      ? change('template.replace', `template ${id}`, (commit) => siteTemplates.replace(template, commit))
      : change('template.add', `template ${id}`, (commit) => siteTemplates.add(template, commit)),
  )
  return { json: { id, name }, lines: [`Template ${id}, ${name}, is ${replace === true ? 'replaced' : 'added'}.`] }
}
