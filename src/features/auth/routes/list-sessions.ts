import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { ListedSession } from '../session-records.ts'
import { sessionOwner, type Sessions } from '../sessions.ts'

const sessionSchema = z.object({
  id: z.string(),
  address: z.string(),
  application: z.string(),
  created: z.iso.datetime(),
  last_seen: z.iso.datetime(),
  current: z.boolean().describe('the one that asks'),
})

/** `GET /user/:userid/sessions`: for the user, and for administrators. */
export const listSessions = (sessions: Sessions) =>
  endpoint({
    operation: 'user.sessions',
    handler: 'UserHandler',
    method: 'GET',
    path: '/user/:userid/sessions',
    summary: 'List the open sessions of a user',
    access: { kind: 'session' },
    success: 200,
    faults: ['user.not_found', 'access.capability'],
    reply: { callinfo: z.object({ sessions: z.array(sessionSchema) }) },
    params: z.object({ userid: z.string() }),
    body: z.object({}),
    async run({ params, caller }) {
      const open = await sessions.list(await sessions.knownUser(sessionOwner(params.userid, caller)))
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
