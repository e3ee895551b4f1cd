import type { Arrange } from './good-calls.ts'

const favourite = { favourite: true }
const tags = { tags: ['rack 4', 'network'] }

/** Calls by which users mark objects for themselves. */
export const goodCallsOfMarks: Readonly<Record<string, Arrange>> = {
  'PUT /object/:objectid/favourite': ({ objectId }) => ({ params: { objectid: objectId }, members: favourite }),
  'GET /favourites': () => ({}),
  'DELETE /object/:objectid/favourite': marked('favourite', favourite),
  'PUT /object/:objectid/tags': ({ objectId }) => ({ params: { objectid: objectId }, members: tags }),
  'GET /tags': () => ({}),
  'DELETE /object/:objectid/tags': marked('tags', tags),
}

/** A call for an object with the mark. */
function marked(mark: string, members: object): Arrange {
  return async ({ told, objectId }) => {
    await told('PUT', `/object/${objectId}/${mark}`, members)
    return { params: { objectid: objectId }, once: true }
  }
}
