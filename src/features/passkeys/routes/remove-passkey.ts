import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { message, userIdOf, userParams } from '../../../http/contract/shared-fields.ts'
import type { Passkeys } from '../passkeys.ts'
import { passkeyIdOf, passkeyItem, passkeySchema, passkeySegment } from './passkey-record.ts'

/** `DELETE /user/:userid/passkeys/:passkeyid`: for administrators. Users remove their own by `DELETE /me/passkeys`. */
export const removePasskey = (passkeys: Passkeys) =>
  endpoint({
    operation: 'user.passkey.remove',
    handler: 'UserHandler',
    method: 'DELETE',
    path: '/user/:userid/passkeys/:passkeyid',
    summary: 'Take a passkey from a user',
    details: 'A login with it is refused from now on.',
    access: { kind: 'session', capability: 'admin' },
    faults: ['user.not_found', 'passkey.not_found'],
    reply: { callinfo: z.object({ message, passkey: passkeySchema }) },
    params: userParams.extend({ passkeyid: passkeySegment() }),
    async run({ params, note, commit }) {
      const [userId, passkeyId] = [userIdOf(params.userid), passkeyIdOf(params.passkeyid)]
      note({ target: `user ${userId}: passkey ${passkeyId}` })
      const passkey = await commit((tx) => passkeys.remove(tx, userId, passkeyId))
      return { callinfo: { message: 'The passkey has been removed.', passkey: passkeyItem(passkey) } }
    },
  })
