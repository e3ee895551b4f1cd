import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { howMany } from '../../../http/contract/shared-fields.ts'
import type { Sessions } from '../../auth/sessions.ts'

/** `DELETE /me/sessions`: for a user who finds an unknown session in the list. */
export const endOtherSessions = (sessions: Sessions) =>
  endpoint({
    operation: 'me.sessions.end',
    handler: 'UserHandler',
    method: 'DELETE',
    path: '/me/sessions',
    summary: 'End all your other sessions',
    details: 'The session of the call itself goes on.',
    access: { kind: 'session' },
    reply: { callinfo: z.object({ ended: howMany('Sessions that have ended.') }) },
    async run({ caller: { userId, sessionId }, note, commit }) {
      note({ target: `user ${userId}: other sessions` })
      return { callinfo: { ended: await commit((tx) => sessions.endOthers(tx, userId, sessionId)) } }
    },
  })
