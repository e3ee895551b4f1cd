import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { userIdOf, userParams } from '../../../http/contract/shared-fields.ts'
import type { Passkeys } from '../passkeys.ts'
import { passkeyItem, passkeySchema } from './passkey-record.ts'

/** `GET /user/:userid/passkeys`: for the user, and for administrators. */
export const listPasskeys = (passkeys: Passkeys) =>
  endpoint({
    operation: 'user.passkey.list',
    handler: 'UserHandler',
    method: 'GET',
    path: '/user/:userid/passkeys',
    summary: 'List the passkeys of a user',
    access: { kind: 'session', capability: 'admin', self: 'userid' },
    faults: ['user.not_found'],
    reply: { callinfo: z.object({ passkeys: z.array(passkeySchema).describe('The passkeys, the oldest first.') }) },
    params: userParams,
    async run({ params }) {
      return { callinfo: { passkeys: (await passkeys.list(userIdOf(params.userid))).map(passkeyItem) } }
    },
  })
