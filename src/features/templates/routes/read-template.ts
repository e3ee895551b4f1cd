import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { entrySchema, recordSchema, templateEntry, templateRecord } from '../template-json.ts'
import type { Templates } from '../templates.ts'

const id = z.string().transform((text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0))

/**
 * `GET /template/:templateid`: one template, in both notations (published clients read the one, the specification has
 * the other).
 */
export const readTemplate = (templates: Templates) =>
  endpoint({
    operation: 'template.read',
    handler: 'TemplateHandler',
    method: 'GET',
    path: '/template/:templateid',
    summary: 'Read a template',
    access: { kind: 'session' },
    success: 200,
    faults: ['template.not_found'],
    reply: { members: z.object({ TEMPLATE: entrySchema, TEMPLATES: z.array(recordSchema) }) },
    params: z.object({ templateid: id }),
    body: z.object({}),
    async run({ params }) {
      const template = await templates.find(params.templateid)
      return { members: { TEMPLATE: templateEntry(template), TEMPLATES: [templateRecord(template)] } }
    },
  })
