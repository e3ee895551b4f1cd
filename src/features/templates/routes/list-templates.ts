import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { entrySchema, templateEntry } from '../template-json.ts'
import type { Templates } from '../templates.ts'

/** `GET /template`: all templates, in the notation of this call. */
export const listTemplates = (templates: Templates) =>
  endpoint({
    operation: 'template.list',
    handler: 'TemplateHandler',
    method: 'GET',
    path: '/template',
    summary: 'List the templates',
    access: { kind: 'session' },
    reply: { members: z.object({ TEMPLATE: z.array(entrySchema).describe('The templates.') }) },
    async run() {
      return { members: { TEMPLATE: (await templates.list()).map(templateEntry) } }
    },
  })
