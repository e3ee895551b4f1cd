import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { LoginType } from '../credentials.ts'

/** `GET /authinfo/logintypes` (spec: Get enabled login types). */
export const loginTypes = (enabled: readonly LoginType[]) =>
  endpoint({
    operation: 'authinfo.logintypes',
    handler: 'AuthInfoHandler',
    method: 'GET',
    path: '/authinfo/logintypes',
    summary: 'List the enabled login types',
    access: { kind: 'public' },
    reply: {
      callinfo: z.object({
        enabled_login_types: z
          .array(z.array(z.enum(['totp', 'hwkey_otp', 'smartcard', 'webauthn']).describe('A login type.')))
          .min(1)
          .max(1)
          .describe(
            'One list of the login types: `totp` an authenticator app, `hwkey_otp` a hardware token or HOTP, `smartcard` a TLS client certificate, `webauthn` a passkey.',
          ),
      }),
    },
    unechoed: 'all',
    run: () => Promise.resolve({ callinfo: { enabled_login_types: [enabled] } }),
  })
