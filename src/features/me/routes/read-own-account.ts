import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { bitmapText, howMany, idText, moment } from '../../../http/contract/shared-fields.ts'
import type { Sessions } from '../../auth/sessions.ts'
import type { Recoveries } from '../../users/recovery.ts'
import type { OwnAccounts } from '../own-account.ts'

/** `GET /me`: what the appliance stores about the caller, without secrets. */
export const readOwnAccount = (
  accounts: OwnAccounts,
  recoveries: Recoveries,
  sessions: Pick<Sessions, 'idleTimeoutMs'>,
  links: { readonly rules: { readonly enabled: boolean } },
) =>
  endpoint({
    operation: 'me.read',
    handler: 'UserHandler',
    method: 'GET',
    path: '/me',
    summary: 'Read your own account',
    access: { kind: 'session' },
    faults: ['user.not_found'],
    reply: {
      callinfo: z.object({
        userid: idText('Id of the caller.'),
        username: z.string().describe('Login name of the caller.'),
        fullname: z.string().describe('Full name of the caller.'),
        email: z.string().describe('E-mail address of the caller.'),
        userstatus: bitmapText('Capabilities of the caller.'),
        passphrase_changed: moment('When the pass phrase was last changed.'),
        resting: howMany('Vaults in which the membership of the caller is on hold until it is confirmed.'),
        timeout: z.int().min(0).describe('Milliseconds without a call after which the session ends.'),
        links: z.boolean().describe('Whether one-time links are made here.'),
      }),
    },
    async run({ caller: { userId } }) {
      const user = await accounts.read(userId)
      return {
        callinfo: {
          userid: String(user.id),
          username: user.username,
          fullname: user.fullname,
          email: user.email,
          userstatus: String(user.capabilities),
          passphrase_changed: new Date(user.passphraseChangedAt).toISOString(),
          resting: await recoveries.countOnHold(userId),
          timeout: sessions.idleTimeoutMs,
          links: links.rules.enabled,
        },
      }
    },
  })
