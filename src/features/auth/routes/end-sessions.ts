import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { sessionOwner, type Sessions } from '../sessions.ts'

/** `DELETE /user/:userid/sessions`: for the user, whose own session ends with the others, and for administrators. */
export const endSessions = (sessions: Sessions) =>
  endpoint({
    operation: 'user.sessions.end',
    handler: 'UserHandler',
    method: 'DELETE',
    path: '/user/:userid/sessions',
    summary: 'End all sessions of a user',
    access: { kind: 'session' },
    success: 200,
    faults: ['user.not_found', 'access.capability'],
    reply: { callinfo: z.object({ ended: z.int() }) },
    params: z.object({ userid: z.string() }),
    body: z.object({}),
    async run({ params, caller, commit }) {
      const userId = await sessions.knownUser(sessionOwner(params.userid, caller))
      const ended = await commit((tx) => sessions.endOthers(tx, userId))
      return { callinfo: { ended } }
    },
  })
