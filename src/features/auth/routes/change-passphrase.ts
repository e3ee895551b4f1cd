import { z } from 'zod'
import { bitmapText, howMany, message } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { isForSmartcard, loginTypeField, onceFactorIn, otpWords, secret, smartcardTypes } from '../credentials.ts'
import { passkeyField } from '../../passkeys/presented-passkey.ts'
import type { PassphraseChanges } from '../passphrase-change.ts'
import { freshFactorSecrets } from '../fresh-factor-members.ts'
import type { CardReader } from '../smartcard-login.ts'

const body = z
  .object({
    passphrase: secret.describe('The present pass phrase.'),
    newpassphrase: secret.describe('The pass phrase from now on. It must not be one that is easily guessed.'),
    otp: secret.describe(otpWords).optional(),
    passkey: passkeyField.optional(),
    logintype: loginTypeField.optional(),
  })
  .meta({
    anyOf: [
      { required: ['otp'] },
      {
        required: ['logintype'],
        properties: { logintype: { enum: smartcardTypes, description: 'With the client certificate.' } },
      },
      {
        required: ['passkey', 'logintype'],
        properties: {
          logintype: { enum: ['webauthn'], description: 'With a passkey, to a challenge of `POST /me/challenge`.' },
        },
      },
    ],
  })

/** `PUT /auth/passphrase`: changes the caller's pass phrase, with the present one and a fresh second factor. */
export const changePassphrase = (changes: PassphraseChanges, readCard: CardReader) =>
  endpoint({
    operation: 'auth.passphrase',
    handler: 'AuthHandler',
    method: 'PUT',
    path: '/auth/passphrase',
    summary: 'Change your own pass phrase',
    details: 'Besides the present pass phrase it takes a fresh second factor. All other sessions of the user end.',
    access: { kind: 'session' },
    faults: ['passphrase.refused', 'login.refused', 'login.throttled', 'login.busy', 'login.type_disabled'],
    reply: {
      callinfo: z.object({
        userstatus: bitmapText('Capabilities of the user.'),
        ended: howMany('Other sessions of the user, which have ended.'),
        message,
      }),
    },
    body,
    unechoed: ['passphrase', 'newpassphrase', ...freshFactorSecrets],
    quota: 'passphrases',
    async run({ body, caller, client, note, commit }) {
      const { passphrase, newpassphrase: newPassphrase, logintype } = body
      const read = isForSmartcard(logintype) ? await readCard(client.certificate()) : undefined
      note({ target: read?.target })
      const factor =
        read === undefined ? onceFactorIn(body, withoutOtp) : { otpKind: 'smartcard' as const, card: read.card }
      const change = { ...factor, passphrase, newPassphrase, address: client.address }
      const { capabilities, ended } = await changes.changeOwn(caller, change, commit)
      return { callinfo: { userstatus: String(capabilities), ended, message: 'Your pass phrase has been changed.' } }
    },
  })

const withoutOtp = 'otp is missing: send it, or logintype smartcard with your card.'
