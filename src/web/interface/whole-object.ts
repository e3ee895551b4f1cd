import { call, type StoredObject } from './calls.ts'

/** One of a list with its open fields, which a list that would be too long with them leaves out. */
export async function wholeObject(listed: StoredObject, signal: AbortSignal): Promise<StoredObject> {
  if (listed.abridged !== true) return listed
  const { OBJECT } = await call('object.read', { params: { objectid: listed.id }, signal })
  return OBJECT[0] ?? listed
}
