import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Favourites } from '../favourites.ts'
import { idOfObject } from './object-record.ts'
import { ownMarksEndContract } from './own-marks-contract.ts'

/** `DELETE /object/:objectid/favourite`: works for an object that the caller may not read any more, too. */
export const clearFavourite = (favourites: Favourites) =>
  endpoint({
    ...ownMarksEndContract,
    operation: 'object.favourite.clear',
    path: '/object/:objectid/favourite',
    summary: 'Take an object off the favourites of the caller',
    details:
      'Needs no right in the vault: the answer depends only on the favourites of the caller, and tells nothing of the object.',
    async run({ params, caller, commit }) {
      await favourites.clear(idOfObject(params.objectid), { userId: caller.userId, commit })
      return { callinfo: { message: 'Favourite cleared' } }
    },
  })
