import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Passkeys } from '../../passkeys/passkeys.ts'
import {
  passkeyIdOf,
  passkeyItem,
  passkeyName,
  passkeySchema,
  passkeySegment,
} from '../../passkeys/routes/passkey-record.ts'

/** `PUT /me/passkeys/:passkeyid`: changes the name of a passkey. */
export const renamePasskey = (passkeys: Passkeys) =>
  endpoint({
    operation: 'me.passkey.rename',
    handler: 'UserHandler',
    method: 'PUT',
    path: '/me/passkeys/:passkeyid',
    summary: 'Rename a passkey of your own',
    access: { kind: 'session' },
    faults: ['passkey.not_found'],
    reply: { callinfo: z.object({ passkey: passkeySchema }) },
    params: z.object({ passkeyid: passkeySegment() }),
    body: z.object({ name: passkeyName }),
    async run({ params, body: { name }, caller: { userId }, note, commit }) {
      const passkeyId = passkeyIdOf(params.passkeyid)
      note({ target: `user ${userId}: passkey ${passkeyId}` })
      const passkey = await commit((tx) => passkeys.rename(tx, userId, passkeyId, name))
      return { callinfo: { passkey: passkeyItem(passkey) } }
    },
  })
