import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Favourites } from '../favourites.ts'
import { idOfObject } from './object-record.ts'
import { ownMarksEndContract } from './own-marks-contract.ts'

/** `DELETE /object/:objectid/favourite`: also of an object that the caller may read no longer. */
export const clearFavourite = (favourites: Favourites) =>
  endpoint({
    ...ownMarksEndContract,
    operation: 'object.favourite.clear',
    path: '/object/:objectid/favourite',
    summary: 'Take an object off the favourites of the caller',
    details:
      'With no right in the vault: it is told by the favourites of the caller alone whether there is something to take away, and nothing of the object.',
    async run({ params, caller, commit }) {
      await favourites.clear(idOfObject(params.objectid), { userId: caller.userId, commit })
      return { callinfo: { message: 'Favourite cleared' } }
    },
  })
