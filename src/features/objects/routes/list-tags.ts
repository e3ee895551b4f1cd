import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { idText } from '../../../http/contract/shared-fields.ts'
import type { Templates } from '../../templates/templates.ts'
import type { Tags } from '../tags.ts'
import { objectMembers, objectSchema, templatesOfObjects } from './object-record.ts'

const tagSchema = z.object({
  tag: z.string().describe('The tag, as the caller spelled it last.'),
  objects: z.array(idText('Id of an object.')).min(1).describe('The objects that the caller keeps it for.'),
})

/** `GET /tags`: the caller's tags, with their objects. */
export const listTags = (kept: Tags, templates: Templates) =>
  endpoint({
    operation: 'object.tags',
    handler: 'ObjectHandler',
    method: 'GET',
    path: '/tags',
    summary: 'List the tags of the caller',
    details: 'In alphabetical order, with their objects from every vault that is shared with the caller.',
    access: { kind: 'session' },
    faults: ['request.quota'],
    reply: {
      members: z.object({
        TAGS: z.array(tagSchema).describe('The tags: one entry for each, however its letters are capitalised.'),
        OBJECT: z.array(objectSchema).describe('The objects that have tags, without encrypted fields.'),
        TEMPLATES: templatesOfObjects,
      }),
    },
    async run({ caller, admit }) {
      const { tags, objects } = await kept.list(caller.userId, () => admit('longLists'))
      const written = tags.map(({ tag, objectIds }) => ({ tag, objects: objectIds.map(String) }))
      return { members: { TAGS: written, ...(await objectMembers(objects, templates)) } }
    },
  })
