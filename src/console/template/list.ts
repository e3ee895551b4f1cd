import type { Command } from 'commander'
import { loadConfig } from '../../config/loader.ts'
import { builtInTemplates } from '../../features/templates/built-in.ts'
import { listSiteTemplates, type SiteTemplateRow } from '../../features/templates/records.ts'
import { examineTemplate } from '../../features/templates/template-document.ts'
import type { Template } from '../../features/templates/template.ts'
import { table } from '../output/command-answer.ts'
import { withStore } from '../console-context.ts'
import { answering } from '../invocation.ts'

interface Listed {
  readonly id: number
  readonly name: string
  /** Names of fields, with `*` after encrypted ones and `?` after those that may be empty. */
  readonly fields: readonly string[]
  readonly state: 'built in' | 'of the site' | 'inactive' | 'removed'
}

export function addTemplateList(template: Command): void {
  template
    .command('list')
    .description('list all templates and their fields: * encrypted, ? may be empty')
    .addHelpText('after', '\nExample:\n  strongroom template list')
    .action(
      answering(async ({ config }) => {
        const rows = await withStore(loadConfig(config), (store) => listSiteTemplates(store.read))
        const templates = [...builtInTemplates.map((one) => listed(one, 'built in')), ...rows.map(ofSite)]
        return {
          json: templates,
          lines: table([
            ['ID', 'NAME', 'STATE', 'FIELDS'],
            ...templates.map(({ id, name, state, fields }) => [String(id), name, state, fields.join(' ')]),
          ]),
        }
      }),
    )
}

function ofSite({ id, document, removedAt }: SiteTemplateRow): Listed {
  const examined = examineTemplate(JSON.parse(document))
  const template = 'template' in examined ? examined.template : { id, name: '(damaged)', active: false, fields: [] }
  const state = template.active ? 'of the site' : 'inactive'
  return listed(template, removedAt === null ? state : 'removed')
}

function listed({ id, name, fields }: Pick<Template, 'id' | 'name' | 'fields'>, state: Listed['state']): Listed {
  const written = fields.map((field) => `${field.name}${field.encrypted ? '*' : ''}${field.optional ? '?' : ''}`)
  return { id, name, fields: written, state }
}
