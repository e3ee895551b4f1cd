import type { QueryClient } from '@tanstack/react-query'
import { call, type Contents, type StoredObject } from '../interface/calls.ts'
import { isVerdict } from '../interface/refusal.ts'
import { placeIn, type MoveTarget, type Relocate } from './moving.ts'

interface LostCopy {
  readonly objectid: string
  readonly place: string
}

/**
 * Copies each object once. After a call without an answer, the next try first looks whether the copy exists. Moves need
 * no such check, because a second move changes nothing.
 */
export function createCopying(queries: QueryClient, objects: readonly StoredObject[]): Relocate {
  /** The ids in each folder before the copy, and those of the copies whose call was answered. */
  const known = new Map<string, Set<string>>()
  let lost: LostCopy | undefined

  async function read({ vaultid, folderid }: MoveTarget, signal: AbortSignal, isFresh: boolean) {
    // The contents that the dialog has read for its list of folders.
    const shown = isFresh ? undefined : queries.getQueryData<Contents>(['vault', vaultid])
    const { OBJECTS } = shown ?? (await call('vault.read', { params: { vaultid }, signal }))
    return OBJECTS.filter(({ parentid }) => parentid === folderid)
  }

  return async (objectid, from, to, signal) => {
    const place = `${to.vaultid}/${to.folderid}`
    const ids = known.get(place) ?? new Set((await read(to, signal, false)).map(({ id }) => id))
    known.set(place, ids)
    if (lost?.objectid === objectid && lost.place === place) {
      const sought = objects.find(({ id }) => id === objectid)
      const found = (await read(to, signal, true)).find((one) => !ids.has(one.id) && isCopy(one, sought))
      lost = undefined
      if (found) {
        ids.add(found.id)
        return
      }
    }
    try {
      const { CALLINFO } = await call('object.copy', { params: { objectid }, body: placeIn(from, to), signal })
      ids.add(CALLINFO.objectid)
    } catch (error) {
      if (!isVerdict(error)) lost = { objectid, place }
      throw error
    }
  }
}

const isCopy = (one: StoredObject, sought: StoredObject | undefined): boolean =>
  one.objectname === sought?.objectname && one.templateid === sought.templateid
