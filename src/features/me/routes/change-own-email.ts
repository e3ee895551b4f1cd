import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { message } from '../../../http/contract/shared-fields.ts'
import { userFields } from '../../users/routes/user-members.ts'
import type { OwnAccounts } from '../own-account.ts'

/** `PUT /me/email`: a session is enough, since the address is not used for mail or for any decision. */
export const changeOwnEmail = (accounts: OwnAccounts) =>
  endpoint({
    operation: 'me.email',
    handler: 'UserHandler',
    method: 'PUT',
    path: '/me/email',
    summary: 'Change your own e-mail address',
    details: 'Those with whom you share vaults see it. No login and no reset depends on it.',
    access: { kind: 'session' },
    faults: ['user.not_found', 'user.invalid'],
    reply: { callinfo: z.object({ email: userFields.email, message }) },
    body: z.object({ email: userFields.email }),
    async run({ body, caller, note, commit }) {
      note({ target: `user ${caller.userId}: email` })
      const { email } = await accounts.changeEmail(caller.userId, body.email, commit)
      return { callinfo: { email, message: 'Your e-mail address has been changed.' } }
    },
  })
