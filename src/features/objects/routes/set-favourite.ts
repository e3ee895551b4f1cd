import { z } from 'zod'
import { endpoint, flag } from '../../../http/contract/endpoint.ts'
import type { Favourites } from '../favourites.ts'
import { existing } from '../read-records.ts'
import { ownMarksContract } from './own-marks-contract.ts'

/** `PUT /object/:objectid/favourite`: marks the object as a favourite of the caller, or not. */
export const setFavourite = (favourites: Favourites) =>
  endpoint({
    ...ownMarksContract,
    operation: 'object.favourite',
    path: '/object/:objectid/favourite',
    summary: 'Make an object a favourite, or no longer',
    details: 'Favourites belong to the caller, and no other user sees them: 500 at most.',
    body: z.object({ favourite: flag.describe('Whether it is one from now on.') }),
    async run({ body: { favourite }, resource, caller, commit }) {
      const { object } = existing(resource)
      await favourites.set(object, favourite, { userId: caller.userId, commit })
      return { callinfo: { objectid: String(object.id), message: favourite ? 'Favourite set' : 'Favourite cleared' } }
    },
  })
