import type { Command } from 'commander'
import { parseJsonObject } from '../../http/input/members.ts'
import { textOf } from '../../config/loader.ts'
import { Fault } from '../../fault.ts'
import { examineTemplate } from '../../features/templates/template-document.ts'
import type { Template } from '../../features/templates/template.ts'
import { exitCodes, UsageError } from '../exit-code.ts'
import { answering } from '../invocation.ts'
import type { Terminal } from '../output/terminal.ts'

const help = `
The file is JSON as GET /template/ID answers it in TEMPLATE: INFO, and STRUCTURE with the fields in the order of
the form. config/template.example.json is one.

Example:
  strongroom template check router.json`

export function addTemplateCheck(template: Command): void {
  template
    .command('check')
    .description('check a template file, and change nothing')
    .argument('<file>', 'JSON file; - is standard input')
    .addHelpText('after', help)
    .action(
      answering(async ({ terminal }, file: string) => {
        const examined = examineTemplate(await readDocument(terminal, file))
        if ('problems' in examined)
          return {
            json: { file, problems: examined.problems },
            lines: examined.problems.map((problem) => `${file}: ${problem}`),
            exitCode: exitCodes.refused,
          }
        const { id, name } = examined.template
        return { json: { file, problems: [] }, lines: [`${file} is a good template: ${id}, ${name}.`] }
      }),
    )
}

/** Reads the template in a file. @throws UsageError, which lists all problems */
export async function readTemplate(terminal: Terminal, file: string): Promise<Template> {
  const examined = examineTemplate(await readDocument(terminal, file))
  if ('template' in examined) return examined.template
  throw new UsageError(`${file} cannot be used:\n${examined.problems.map((problem) => `  ${problem}`).join('\n')}`)
}

const maxFileBytes = 1024 * 1024

async function readDocument(terminal: Terminal, file: string): Promise<unknown> {
  const content = await terminal.readInput(file)
  if (content.length > maxFileBytes)
    throw new UsageError(`${file} is larger than ${maxFileBytes} bytes: no template is.`)
  try {
    return parseJsonObject(textOf(file, content))
  } catch (error) {
    if (error instanceof Fault) throw new UsageError(`${file}: ${error.message.replace('The body', 'the file')}`)
    throw error
  }
}
