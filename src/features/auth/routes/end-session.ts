import { idSegment, messageSchema, userIdOf, userParams } from '../../../http/contract/shared-fields.ts'
import { decimalId } from '../../../access/resource.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Sessions } from '../sessions.ts'

/** `DELETE /user/:userid/sessions/:sessionid`: for the user, and for administrators. */
export const endSession = (sessions: Sessions) =>
  endpoint({
    operation: 'user.session.end',
    handler: 'UserHandler',
    method: 'DELETE',
    path: '/user/:userid/sessions/:sessionid',
    summary: 'End one session of a user',
    access: { kind: 'session', capability: 'admin', self: 'userid' },
    faults: ['user.not_found', 'session.not_found'],
    reply: { callinfo: messageSchema },
    params: userParams.extend({
      sessionid: idSegment('Id of the session, as `GET /user/{userid}/sessions` lists it.'),
    }),
    async run({ params, commit }) {
      await sessions.endOne(userIdOf(params.userid), decimalId(params.sessionid), commit)
      return { callinfo: { message: 'The session has ended.' } }
    },
  })
