import { z } from 'zod'
import { bitmap, message, userIdOf, userParams } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { onHoldNotice, type Recoveries } from '../recovery.ts'
import type { ListedUser } from '../records.ts'
import type { Users } from '../user.ts'
import { otpPrefixes, status, userFields } from './user-members.ts'

const body = z.object({
  username: userFields.username.optional(),
  fullname: userFields.fullname.optional(),
  email: userFields.email.optional(),
  status: status.optional(),
  otpprefix: otpPrefixes.optional(),
})

/** `PUT /user/:userid` (spec: Edit user), and POST on the same address ("one observed request used POST"). */
export const editUser = (users: Users, recoveries: Recoveries, method: 'PUT' | 'POST') =>
  endpoint({
    operation: 'user.edit',
    handler: 'UserHandler',
    method,
    path: '/user/:userid',
    summary: 'Edit a user',
    details:
      'It changes what is given and leaves the rest. PUT and POST do the same. Callers cannot raise their own capabilities.',
    access: { kind: 'session', capability: 'admin' },
    faults: [
      'user.not_found',
      'user.exists',
      'user.invalid',
      'otp.device_not_found',
      'otp.device_exists',
      'otp.device_limit',
      'otp.device_invalid',
    ],
    reply: {
      callinfo: z.object({
        calculated_status: bitmap('Capabilities that the user has now.'),
        user_created: z.string().describe('Full name of the user.'),
        message,
      }),
    },
    params: userParams,
    body,
    async run({ params, body: { status: bitmap, otpprefix, ...fields }, caller, note, commit }) {
      note({ target: targetOf(params.userid, { ...fields, otpprefix }, bitmap) })
      const changes = {
        ...fields,
        otpPrefixes: otpprefix,
        capabilities: bitmap === undefined ? undefined : () => bitmap,
      }
      const user = await users.change(userIdOf(params.userid), changes, commit, caller.userId)
      return {
        callinfo: { calculated_status: user.capabilities, user_created: user.fullname, message: 'User updated' },
        general:
          otpprefix === undefined
            ? []
            : [...keptNotice(await users.read(user.id), otpprefix), ...(await onHoldNotice(recoveries, user.id))],
      }
    },
  })

/**
 * Tells an administrator which hardware tokens the edit has not removed. An edit never removes one, so that a record
 * can be read and sent back whole.
 */
function keptNotice({ id, otpPrefixes }: ListedUser, named: readonly string[]): string[] {
  const kept = otpPrefixes.filter((prefix) => !named.includes(prefix))
  if (kept.length === 0) return []
  return [
    `The user still holds these hardware tokens, which otpprefix does not name: ${kept.join(', ')}. No edit removes a token: DELETE /user/${id}/otp/:deviceid does, with the id from GET /user/${id}/otp.`,
  ]
}

/** For the audit trail: the names of the changed members, and the value of a status, because it grants capabilities. */
function targetOf(id: string, fields: object, bitmap: number | undefined): string {
  const names = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  const changes = [...names, ...(bitmap === undefined ? [] : [`status ${bitmap}`])]
  return `user ${id.slice(0, 16)}: ${changes.join(', ') || 'nothing'}`
}
