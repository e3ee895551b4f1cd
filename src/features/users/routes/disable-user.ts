import { z } from 'zod'
import { bitmap, message, userIdOf, userParams } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { deactivated } from '../user-change.ts'
import type { Users } from '../user.ts'

/** `DELETE /user/:userid`: users are never deleted; this keeps the user from logging in. */
export const disableUser = (users: Users) =>
  endpoint({
    operation: 'user.disable',
    handler: 'UserHandler',
    method: 'DELETE',
    path: '/user/:userid',
    summary: 'Disable a user',
    details:
      'A user is never deleted: records name them. The sessions of the user end; `PUT /user/{userid}` with a status enables the user again.',
    access: { kind: 'session', capability: 'admin' },
    faults: ['user.not_found', 'user.invalid'],
    reply: {
      callinfo: z.object({ calculated_status: bitmap('Capabilities that the user has now, without Active.'), message }),
    },
    params: userParams,
    async run({ params, caller, commit }) {
      const user = await users.change(userIdOf(params.userid), { capabilities: deactivated }, commit, caller.userId)
      return { callinfo: { calculated_status: user.capabilities, message: 'User disabled' } }
    },
  })
