import { z } from 'zod'
import { decodeBase64url } from '../../encoding/base64.ts'
import { Fault } from '../../fault.ts'
import type { PasskeyAssertion } from '../../hsm/passkey-assertion.ts'

/** The assertion that an authenticator makes with a passkey. */
export interface PresentedPasskey {
  readonly credentialId: Buffer
  readonly assertion: PasskeyAssertion
}

/** Bytes in base64url without padding, as in `PublicKeyCredential.toJSON()`. */
export const base64urlField = (longest: number, what: string) =>
  z
    .string()
    .max(longest)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url without padding')
    .describe(`${what} Base64url.`)

/** At most 1,023 bytes (WebAuthn §4). */
export const credentialIdField = base64urlField(1_364, 'Id of the credential.')

/** The members of `AuthenticationResponseJSON` that are read. Browsers send others as well. */
export const passkeyField = z
  .object({
    id: credentialIdField,
    response: z
      .object({
        clientDataJSON: base64urlField(8_192, 'What the browser composed.'),
        authenticatorData: base64urlField(2_048, 'What the authenticator composed.'),
        signature: base64urlField(2_048, 'Over both.'),
      })
      .describe('What the authenticator answered.'),
  })
  .describe('The assertion of a passkey, as `PublicKeyCredential.toJSON()` gives it.')

/** @throws Fault `request.invalid` */
export function presentedPasskey({ id, response }: z.infer<typeof passkeyField>): PresentedPasskey {
  return {
    credentialId: base64urlMember('passkey.id', id),
    assertion: {
      clientData: base64urlMember('passkey.response.clientDataJSON', response.clientDataJSON),
      authenticatorData: base64urlMember('passkey.response.authenticatorData', response.authenticatorData),
      signature: base64urlMember('passkey.response.signature', response.signature),
    },
  }
}

/** @throws Fault `request.invalid` */
function base64urlMember(member: string, text: string): Buffer {
  const bytes = decodeBase64url(text)
  if (bytes === undefined) throw new Fault('request.invalid', `${member} must be base64url without padding.`)
  return bytes
}
