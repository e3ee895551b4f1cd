import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { message } from '../../../http/contract/shared-fields.ts'
import type { Favourites } from '../favourites.ts'
import { idOfObject, objectParams } from './object-record.ts'

/** `DELETE /object/:objectid/favourite`: also of an object that the caller may read no longer. */
export const clearFavourite = (favourites: Favourites) =>
  endpoint({
    operation: 'object.favourite.clear',
    handler: 'ObjectHandler',
    method: 'DELETE',
    path: '/object/:objectid/favourite',
    summary: 'Take an object off the favourites of the caller',
    details:
      'With no right in the vault: it is told by the favourites of the caller alone whether there is something to take away, and nothing of the object.',
    access: { kind: 'session' },
    success: 200,
    faults: ['object.not_found'],
    reply: { callinfo: z.object({ message }) },
    params: objectParams,
    body: z.object({}),
    async run({ params, caller, commit }) {
      await favourites.clear(idOfObject(params.objectid), { userId: caller.userId, commit })
      return { callinfo: { message: 'Favourite cleared' } }
    },
  })
