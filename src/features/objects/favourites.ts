import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Store } from '../../store/store.ts'
import type { AdmitLongList } from './bounded-list.ts'
import { addFavourite, favouritesOf, isFavourite, removeFavourite } from './favourite-records.ts'
import type { ListedObject } from './listed-object-records.ts'
import type { ObjectWriter } from './object.ts'
import type { StoredObject } from './read-records.ts'
import { isThere } from './records.ts'

/** The favourites of each user: a private list, which reveals nothing to others. */
export interface Favourites {
  /** Favourites in vaults that are shared with the user, by name. */
  list(userId: number, admitLongList: AdmitLongList): Promise<readonly ListedObject[]>
  /** @throws Fault `object.invalid` where the user has too many, `object.not_found` */
  set(object: Pick<StoredObject, 'id'>, isOne: boolean, by: ObjectWriter): Promise<void>
  /**
   * Needs no right in the object's vault and reveals nothing about it: only the user's own list is looked at.
   * @throws Fault `object.not_found` where it is not a favourite
   */
  clear(objectId: number, by: ObjectWriter): Promise<void>
}

const mostFavourites = 500

export function createFavourites({
  store,
  clock,
}: {
  readonly store: Pick<Store, 'read'>
  readonly clock: Clock
}): Favourites {
  return {
    list: (userId, admitLongList) => favouritesOf(store.read, userId, admitLongList),

    set: ({ id: objectId }, isOne, { userId, commit }) =>
      commit(async (tx) => {
        if (!isOne) {
          await removeFavourite(tx, userId, objectId)
          return
        }
        if (await addFavourite(tx, { userId, objectId, addedAt: clock.now() }, mostFavourites)) return
        if (!(await isThere(tx, objectId))) throw new Fault('object.not_found')
        if (!(await isFavourite(tx, userId, objectId)))
          throw new Fault(
            'object.invalid',
            `You have ${mostFavourites} favourites, and there cannot be more: take one off the list.`,
          )
      }),

    clear: (objectId, { userId, commit }) =>
      commit(async (tx) => {
        if (!(await removeFavourite(tx, userId, objectId)))
          throw new Fault('object.not_found', 'The object is not one of your favourites.')
      }),
  }
}
