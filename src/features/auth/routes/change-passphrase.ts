import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import { isForSmartcard, loginTypeField, otpKindOf, secret, type SecondFactor } from '../credentials.ts'
import type { PassphraseChanges } from '../passphrase-change.ts'
import type { CardReader } from '../smartcard-login.ts'

const body = z.object({
  passphrase: secret,
  newpassphrase: secret,
  otp: secret.optional(),
  logintype: loginTypeField.optional(),
})

/** `PUT /auth/passphrase`: one's own pass phrase, with the present one and a fresh second factor. */
export const changePassphrase = (changes: PassphraseChanges, readCard: CardReader) =>
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
    body,
    unechoed: ['passphrase', 'newpassphrase'],
    quota: 'passphrases',
    async run({ body, caller, client, note, commit }) {
      const { passphrase, newpassphrase: newPassphrase, logintype } = body
      const read = isForSmartcard(logintype) ? await readCard(client.certificate()) : undefined
      note({ target: read?.target })
      const factor = read === undefined ? otpIn(body) : { otpKind: 'smartcard' as const, card: read.card }
      const change = { ...factor, passphrase, newPassphrase, address: client.address }
      const { capabilities, ended } = await changes.changeOwn(caller, change, commit)
      return { callinfo: { userstatus: String(capabilities), ended, message: 'Your pass phrase has been changed.' } }
    },
  })

function otpIn({ otp, logintype }: z.infer<typeof body>): SecondFactor {
  if (otp === undefined)
    throw new Fault('request.invalid', 'otp is missing: send it, or logintype smartcard with your card.')
  return { otp, otpKind: otpKindOf(otp, logintype) }
}
