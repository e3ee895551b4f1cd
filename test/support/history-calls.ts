import type { Ground, PeopleCall } from './people-ground.ts'

/** Calls about earlier versions of an object that `objectIn` makes. */
export function historyCalls(objectIn: (on: Ground) => Promise<string>): Readonly<Record<string, PeopleCall>> {
  async function historyIn(on: Ground): Promise<string> {
    const id = await objectIn(on)
    await on.chief.client.must('PUT', `/object/${id}`, { password: 'another value' })
    return `/object/${id}/history`
  }
  return {
    'GET /object/:objectid/history': {
      needs: 'Read',
      reads: true,
      prepare: async (on) => ({ path: await historyIn(on) }),
    },
    'GET /object/:objectid/history/:version': {
      needs: 'Read',
      reads: true,
      prepare: async (on) => ({ path: `${await historyIn(on)}/1` }),
    },
    'GET /object/:objectid/history/:version (its secrets)': {
      needs: 'Read',
      reads: true,
      usesToken: true,
      prepare: async (on) => ({ path: `${await historyIn(on)}/1?decrypt=true` }),
    },
  }
}
