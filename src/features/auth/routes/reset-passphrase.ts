import { z } from 'zod'
import { bitmap, howMany, message, userIdOf, userParams } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import { onHoldNotice, type Recoveries } from '../../users/recovery.ts'
import type { PassphraseChanges } from '../passphrase-change.ts'
import { secret } from '../credentials.ts'

/**
 * `PUT /user/:userid/passphrase`: an administrator sets another user's pass phrase, which the user must change at the
 * next login.
 */
export const resetPassphrase = (changes: PassphraseChanges, recoveries: Recoveries) =>
  endpoint({
    operation: 'user.passphrase',
    handler: 'UserHandler',
    method: 'PUT',
    path: '/user/:userid/passphrase',
    summary: 'Give a user another pass phrase',
    details:
      'For another user: your own is changed with `PUT /auth/passphrase`. All sessions of the user end. Unless the operator has turned it off, memberships of the user in vaults are on hold until another Admin confirms them.',
    access: { kind: 'session', capability: 'admin' },
    faults: ['user.not_found', 'passphrase.refused', 'login.busy'],
    reply: {
      callinfo: z.object({
        calculated_status: bitmap('Capabilities of the user.'),
        ended: howMany('Sessions of the user, which have ended.'),
        message,
      }),
    },
    params: userParams,
    body: z.object({
      newpassphrase: secret.describe('The pass phrase from now on; the next login says that it is to be changed.'),
    }),
    unechoed: ['newpassphrase'],
    async run({ params, body, caller, commit }) {
      const userId = userIdOf(params.userid)
      // An administrator's own pass phrase is refused here: it takes the present one (`change-passphrase.ts`), so that
      // a stolen session cannot take the account over.
      if (userId === caller.userId)
        throw new Fault('request.invalid', 'Your own pass phrase is changed with PUT /auth/passphrase.')
      const { capabilities, ended } = await changes.reset(userId, body.newpassphrase, caller.userId, commit)
      return {
        callinfo: { calculated_status: capabilities, ended, message: 'The pass phrase has been changed.' },
        general: await onHoldNotice(recoveries, userId),
      }
    },
  })
