import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Templates } from '../../templates/templates.ts'
import type { Favourites } from '../favourites.ts'
import { objectMembers, objectSchema, templatesOfObjects } from './object-record.ts'

/** `GET /favourites`: the caller's favourites. */
export const listFavourites = (favourites: Favourites, templates: Templates) =>
  endpoint({
    operation: 'object.favourites',
    handler: 'ObjectHandler',
    method: 'GET',
    path: '/favourites',
    summary: 'List the favourites of the caller',
    details: 'By their names, from every vault that is shared with the caller.',
    access: { kind: 'session' },
    faults: ['request.quota'],
    reply: {
      members: z.object({
        OBJECT: z.array(objectSchema).describe('The objects, without encrypted fields.'),
        TEMPLATES: templatesOfObjects,
      }),
    },
    async run({ caller, admit }) {
      const objects = await favourites.list(caller.userId, () => admit('longLists'))
      return { members: await objectMembers(objects, templates) }
    },
  })
