import { z } from 'zod'
import { decimalId } from '../../../access/resource.ts'
import { idSegment } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { entrySchema, recordSchema, templateEntry, templateRecord } from '../template-json.ts'
import type { Templates } from '../templates.ts'

const id = idSegment('Id of the template, as `GET /template` lists it.').transform((text) => decimalId(text) ?? 0)

/**
 * `GET /template/:templateid`: one template in both notations, of which published clients read one and the
 * specification shows the other.
 */
export const readTemplate = (templates: Templates) =>
  endpoint({
    operation: 'template.read',
    handler: 'TemplateHandler',
    method: 'GET',
    path: '/template/:templateid',
    summary: 'Read a template',
    access: { kind: 'session' },
    faults: ['template.not_found'],
    reply: {
      members: z.object({
        TEMPLATE: entrySchema,
        TEMPLATES: z.array(recordSchema).min(1).max(1).describe('The same with its fields as a list.'),
      }),
    },
    params: z.object({ templateid: id }),
    async run({ params }) {
      const template = await templates.find(params.templateid)
      return { members: { TEMPLATE: templateEntry(template), TEMPLATES: [templateRecord(template)] } }
    },
  })
