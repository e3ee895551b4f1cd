import { z } from 'zod'
import { idText, moment, userIdOf, userParams } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { ListedSession } from '../session-records.ts'
import type { Sessions } from '../sessions.ts'

const sessionSchema = z
  .object({
    id: idText('Id of the session, for the call that ends it.'),
    address: z.string().describe('IP address that logged in.'),
    application: z.string().describe('Name of the application key that logged in.'),
    created: moment('When it logged in.'),
    last_seen: moment('When it last made a call; not every call is noted.'),
    current: z.boolean().describe('Whether it is the session of this call.'),
  })
  .meta({ id: 'Session', description: 'An open session of a user.' })

/** `GET /user/:userid/sessions`: for the user, and for administrators. */
export const listSessions = (sessions: Sessions) =>
  endpoint({
    operation: 'user.sessions',
    handler: 'UserHandler',
    method: 'GET',
    path: '/user/:userid/sessions',
    summary: 'List the open sessions of a user',
    access: { kind: 'session', capability: 'admin', self: 'userid' },
    faults: ['user.not_found'],
    reply: {
      callinfo: z.object({ sessions: z.array(sessionSchema).describe('The open sessions, the newest first.') }),
    },
    params: userParams,
    async run({ params, caller }) {
      const open = await sessions.list(await sessions.knownUser(userIdOf(params.userid)))
      return { callinfo: { sessions: open.map((session) => sessionItem(session, caller.sessionId)) } }
    },
  })

function sessionItem(session: ListedSession, currentId: number): Record<string, unknown> {
  return {
    id: String(session.id),
    address: session.address,
    application: session.application,
    created: new Date(session.createdAt).toISOString(),
    last_seen: new Date(session.lastSeenAt).toISOString(),
    current: session.id === currentId,
  }
}
