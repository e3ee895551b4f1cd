import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { message } from '../../../http/contract/shared-fields.ts'
import { freshFactorIn, freshFactorMembers, freshFactorSecrets } from '../../auth/fresh-factor-members.ts'
import type { OwnFactors } from '../../auth/own-factors.ts'
import type { Passkeys } from '../../passkeys/passkeys.ts'
import { passkeyIdOf, passkeyItem, passkeySchema, passkeySegment } from '../../passkeys/routes/passkey-record.ts'

/** `DELETE /me/passkeys/:passkeyid`, authorized by a fresh second factor. */
export const removeOwnPasskey = ({
  passkeys,
  ownFactors,
}: {
  readonly passkeys: Passkeys
  readonly ownFactors: OwnFactors
}) =>
  endpoint({
    operation: 'me.passkey.remove',
    handler: 'UserHandler',
    method: 'DELETE',
    path: '/me/passkeys/:passkeyid',
    summary: 'Remove a passkey of your own',
    details:
      'It takes a second factor that you have: `otp`, or `passkey` with `logintype` `webauthn`. The last second factor of a user stays.',
    access: { kind: 'session' },
    faults: ['login.refused', 'login.throttled', 'login.type_disabled', 'passkey.not_found', 'user.last_factor'],
    reply: { callinfo: z.object({ message, passkey: passkeySchema }) },
    params: z.object({ passkeyid: passkeySegment() }),
    body: z.object(freshFactorMembers),
    unechoed: [...freshFactorSecrets],
    async run({ params, body, caller, client, note, commit }) {
      const passkeyId = passkeyIdOf(params.passkeyid)
      note({ target: `user ${caller.userId}: passkey ${passkeyId}` })
      const passkey = await ownFactors.change(caller, freshFactorIn(body, client), commit, (tx) =>
        passkeys.giveUp(tx, caller.userId, passkeyId),
      )
      return { callinfo: { message: 'The passkey has been removed.', passkey: passkeyItem(passkey) } }
    },
  })
