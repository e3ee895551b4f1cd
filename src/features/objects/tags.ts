import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Store } from '../../store/store.ts'
import type { AdmitLongList } from './bounded-list.ts'
import type { ListedObject } from './listed-object-records.ts'
import type { ObjectWriter } from './object.ts'
import type { StoredObject } from './read-records.ts'
import { isThere } from './records.ts'
import { keepTags, removeTags, taggedBy } from './tag-records.ts'

/** A tag of a user, and the ids of the objects that have it. */
export interface Tag {
  readonly tag: string
  readonly objectIds: readonly number[]
}

/** The tags of each user for objects, which are private to the user. */
export interface Tags {
  /** The tags in alphabetical order, with those objects that are in vaults shared with the user. */
  list(
    userId: number,
    admitLongList: AdmitLongList,
  ): Promise<{ readonly tags: readonly Tag[]; readonly objects: readonly ListedObject[] }>
  /**
   * Replaces the user's tags for the object.
   * @throws Fault `object.invalid` where the user has tags for too many objects, `object.not_found`
   */
  set(object: Pick<StoredObject, 'id'>, tags: readonly string[], by: ObjectWriter): Promise<void>
  /**
   * Needs no right in the object's vault and reveals nothing about it: only the user's own tags are looked at.
   * @throws Fault `object.not_found` where there are none
   */
  clear(objectId: number, by: ObjectWriter): Promise<void>
}

export const mostTags = 20
export const longestTag = 40
const mostTaggedObjects = 2_000

/** Tags that readers consider equal have the same key. */
export const tagKey = (tag: string): string => tag.normalize('NFC').toLowerCase()

export function createTags({ store, clock }: { readonly store: Pick<Store, 'read'>; readonly clock: Clock }): Tags {
  return {
    async list(userId, admitLongList) {
      const tagged = await taggedBy(store.read, userId, admitLongList)
      const byKey = new Map<string, { tag: string; objectIds: number[] }>()
      // Of several spellings, the newest is shown.
      for (const { id, tags } of tagged.toSorted((a, b) => b.changedAt - a.changedAt || b.id - a.id))
        for (const tag of tags) {
          const known = byKey.get(tagKey(tag))
          if (known) known.objectIds.push(id)
          else byKey.set(tagKey(tag), { tag, objectIds: [id] })
        }
      return {
        tags: [...byKey]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([, { tag, objectIds }]) => ({
            tag,
            objectIds: objectIds.toSorted((a, b) => a - b),
          })),
        objects: tagged.map(({ object }) => object),
      }
    },

    set: ({ id: objectId }, tags, { userId, commit }) =>
      commit(async (tx) => {
        if (tags.length === 0) {
          await removeTags(tx, userId, objectId)
          return
        }
        if (await keepTags(tx, { userId, objectId, tags, changedAt: clock.now() }, mostTaggedObjects)) return
        if (!(await isThere(tx, objectId))) throw new Fault('object.not_found')
        throw new Fault(
          'object.invalid',
          `You have tags at ${mostTaggedObjects.toLocaleString('en')} objects, and there cannot be more: take those of another object away.`,
        )
      }),

    clear: (objectId, { userId, commit }) =>
      commit(async (tx) => {
        if (!(await removeTags(tx, userId, objectId)))
          throw new Fault('object.not_found', 'You have no tags on this object.')
      }),
  }
}
