import { z } from 'zod'
import { Fault } from '../../../fault.ts'
import type { PasskeyRules } from '../../../hsm/passkey-assertion.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { freshFactorIn, freshFactorMembers, freshFactorSecrets } from '../../auth/fresh-factor-members.ts'
import type { OwnFactors } from '../../auth/own-factors.ts'
import type { Passkeys } from '../../passkeys/passkeys.ts'
import { base64urlField, credentialIdField } from '../../passkeys/presented-passkey.ts'
import type { Attestation } from '../../passkeys/attestation.ts'
import { readRegistration } from '../../passkeys/registration-response.ts'
import { passkeyItem, passkeyName, passkeySchema } from '../../passkeys/routes/passkey-record.ts'

const body = z.object({
  ...freshFactorMembers,
  name: passkeyName,
  registration: z
    .object({
      id: credentialIdField,
      response: z
        .object({
          clientDataJSON: base64urlField(8_192, 'What the browser composed.'),
          attestationObject: base64urlField(16_384, 'What the authenticator composed, with the public key.'),
        })
        .describe('What the authenticator answered.'),
    })
    .describe('The new passkey, as `PublicKeyCredential.toJSON()` gives it.'),
})

/** `POST /me/passkeys`: registers a passkey, authorized by a fresh second factor. */
export const registerPasskey = (
  { passkeys, ownFactors }: { readonly passkeys: Passkeys; readonly ownFactors: OwnFactors },
  rules: PasskeyRules | undefined,
  attestation: Attestation | undefined,
) =>
  endpoint({
    operation: 'me.passkey.register',
    handler: 'UserHandler',
    method: 'POST',
    path: '/me/passkeys',
    summary: 'Register a passkey of your own',
    details:
      'Besides the answer of the new authenticator to a challenge of `POST /me/challenge` it takes a second factor that you have: `otp`, or `passkey` with `logintype` `webauthn`. A user has five passkeys at most.',
    access: { kind: 'session' },
    success: 201,
    faults: [
      'login.refused',
      'login.throttled',
      'login.type_disabled',
      'passkey.invalid',
      'passkey.make_refused',
      'passkey.exists',
      'passkey.limit',
      'access.resting',
    ],
    reply: { callinfo: z.object({ passkey: passkeySchema }) },
    body,
    unechoed: [...freshFactorSecrets],
    async run({ body: { name, registration, ...factor }, caller, client, note, commit }) {
      if (rules === undefined) throw new Fault('login.type_disabled')
      note({ target: `user ${caller.userId}: new passkey` })
      const shown = freshFactorIn(factor, client)
      const read = await readRegistration({ id: registration.id, ...registration.response }, rules, attestation)
      await ownFactors.refuseOnHold(caller.userId)
      const passkey = await ownFactors.change(caller, shown, commit, async (tx) => {
        const registered = await passkeys.register(tx, caller.userId, name, read)
        note({ target: `user ${caller.userId}: passkey ${registered.id}` })
        return registered
      })
      return { callinfo: { passkey: passkeyItem(passkey) } }
    },
  })
