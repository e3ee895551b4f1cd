import { call, type StoredObject } from './calls.ts'

/** The object with its open fields. A long list leaves them out, so they are then read. */
export async function wholeObject(listed: StoredObject, signal: AbortSignal): Promise<StoredObject> {
  if (listed.abridged !== true) return listed
  const { OBJECT } = await call('object.read', { params: { objectid: listed.id }, signal })
  return OBJECT[0] ?? listed
}
