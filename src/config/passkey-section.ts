import { z } from 'zod'
import { path } from './value-shapes.ts'

/** A host name (WebAuthn §5.4.2): browsers do not accept an IP address. */
const rpId = z
  .string()
  .regex(/^(?=.{1,253}$)(?=.*[a-z])[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/, {
    error: 'must be a host name in lower case, and no address',
  })

const attestation = z.strictObject({
  ca: path.describe(
    'PEM file with the CAs that issue the attestation certificates of the makers whose authenticators are taken, those between included; read again when it changes. Revocation is not looked at.',
  ),
  aaguids: z
    .array(z.guid().toLowerCase())
    .min(1)
    .max(1_000)
    .optional()
    .describe('Models that are taken, by their AAGUID; without it, all models of those makers.'),
})

export const webauthn = z
  .strictObject({
    rpId: rpId.describe(
      'Host name that passkeys are bound to: that of the web console, or a domain above it. Passkeys that are registered are good for no other name.',
    ),
    origins: z
      .array(
        z
          .url({ protocol: /^https$/ })
          .refine(isOrigin, { error: 'must be an origin: https://, a host, and a port unless it is 443' }),
      )
      .min(1)
      .max(16)
      .optional()
      .describe(
        'Origins at which the web console is opened, as browsers name them; without it, https:// with rpId and http.port.',
      ),
    userVerification: z
      .enum(['required', 'preferred'])
      .default('preferred')
      .describe('Whether an authenticator must know its user, by a PIN or a finger, or only does so where it can.'),
    attestation: attestation
      .optional()
      .describe(
        'Of which makes new passkeys have to be: authenticators that attest as `packed`, which security keys do and telephones and browsers do not. Without it, any may be registered.',
      ),
  })
  .refine(({ rpId: name, origins = [] }) => origins.every((origin) => isBelow(new URL(origin).hostname, name)), {
    error: 'each of origins must be rpId or a host below it: browsers give its passkeys to no other',
  })

type LoginSections = {
  readonly login: { readonly types: readonly string[]; readonly webauthn?: z.infer<typeof webauthn> | undefined }
  readonly http: { readonly port: number }
}

/** The rules by which passkeys are checked; undefined if passkeys are disabled. */
export function passkeyRulesOf({ login, http }: LoginSections) {
  const { types, webauthn: section } = login
  if (section === undefined || !types.includes('webauthn')) return undefined
  const { rpId: name, userVerification } = section
  const usual = `https://${name}${http.port === 443 ? '' : `:${http.port}`}`
  return { rpId: name, origins: section.origins ?? [usual], userVerification }
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}

const isBelow = (host: string, name: string): boolean => host === name || host.endsWith(`.${name}`)
