import { z } from 'zod'
import { decimalId } from '../../../access/resource.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { sessionOwner, type Sessions } from '../sessions.ts'

/** `DELETE /user/:userid/sessions/:sessionid`: for the user, and for administrators. */
export const endSession = (sessions: Sessions) =>
  endpoint({
    operation: 'user.session.end',
    handler: 'UserHandler',
    method: 'DELETE',
    path: '/user/:userid/sessions/:sessionid',
    summary: 'End one session of a user',
    access: { kind: 'session' },
    success: 200,
    faults: ['user.not_found', 'session.not_found', 'access.capability'],
    reply: { callinfo: z.object({ message: z.string() }) },
    params: z.object({ userid: z.string(), sessionid: z.string() }),
    body: z.object({}),
    async run({ params, caller, commit }) {
      await sessions.endOne(sessionOwner(params.userid, caller), decimalId(params.sessionid), commit)
      return { callinfo: { message: 'The session has ended.' } }
    },
  })
