import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Sessions } from '../sessions.ts'

/** `GET /auth/logout`: ends the session and all its tokens. */
export const logout = (sessions: Sessions) =>
  endpoint({
    operation: 'auth.logout',
    handler: 'AuthHandler',
    method: 'GET',
    path: '/auth/logout',
    changes: true,
    summary: 'Log out',
    details:
      'The session and all its tokens end at once. A browser whose session is in a cookie is told to forget it, with all that it kept of this address.',
    access: { kind: 'session' },
    reply: { callinfo: z.object({ logout: z.string().describe('A word of goodbye.') }) },
    async run({ caller, commit }) {
      await commit((tx) => sessions.end(tx, caller.sessionId))
      return { callinfo: { logout: 'Goodbye' }, endsSession: true }
    },
  })
