import { z } from 'zod'
import { howMany, userIdOf, userParams } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Sessions } from '../sessions.ts'

/** `DELETE /user/:userid/sessions`: for the user, whose own session ends with the others, and for administrators. */
export const endSessions = (sessions: Sessions) =>
  endpoint({
    operation: 'user.sessions.end',
    handler: 'UserHandler',
    method: 'DELETE',
    path: '/user/:userid/sessions',
    summary: 'End all sessions of a user',
    details: 'The session of the call itself is among them where the user ends their own.',
    access: { kind: 'session', capability: 'admin', self: 'userid' },
    faults: ['user.not_found'],
    reply: { callinfo: z.object({ ended: howMany('Sessions that have ended.') }) },
    params: userParams,
    async run({ params, commit }) {
      const userId = await sessions.knownUser(userIdOf(params.userid))
      const ended = await commit((tx) => sessions.endOthers(tx, userId))
      return { callinfo: { ended } }
    },
  })
