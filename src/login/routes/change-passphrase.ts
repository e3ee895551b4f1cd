import { z } from 'zod'
import { endpoint } from '../../api/endpoint.ts'
import { otpKindOf } from '../credentials.ts'
import type { PassphraseChanges } from '../passphrase-change.ts'

const secret = z.string().max(1024)

/** `PUT /auth/passphrase`: one's own pass phrase, with the present one and a fresh second factor. */
export const changePassphrase = (changes: PassphraseChanges) =>
  endpoint({
    operation: 'auth.passphrase',
    handler: 'AuthHandler',
    method: 'PUT',
    path: '/auth/passphrase',
    summary: 'Change your own pass phrase',
    access: { kind: 'session' },
    success: 200,
    faults: ['passphrase.refused', 'login.refused', 'login.throttled', 'login.busy'],
    reply: {
      callinfo: z.object({
        userstatus: z.string(),
        ended: z.int().describe('sessions that it ended'),
        message: z.string(),
      }),
    },
    params: z.object({}),
    body: z.object({
      passphrase: secret,
      newpassphrase: secret,
      otp: secret,
      logintype: z.enum(['totp', 'hwkey_otp', 'yubikey_otp']).optional(),
    }),
    unechoed: ['passphrase', 'newpassphrase'],
    async run({ body, caller, peer, commit }) {
      const { passphrase, newpassphrase: newPassphrase, otp, logintype } = body
      const change = { passphrase, newPassphrase, otp, otpKind: otpKindOf(otp, logintype), address: peer.address }
      const { capabilities, ended } = await changes.changeOwn(caller, change, commit)
      return { callinfo: { userstatus: String(capabilities), ended, message: 'Your pass phrase has been changed.' } }
    },
  })
