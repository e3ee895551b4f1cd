import { useQuery } from '@tanstack/react-query'
import { call } from '../interface/calls.ts'
import { hasPasskeys } from '../passkeys/webauthn.ts'

const known = ['totp', 'hwkey_otp', 'webauthn', 'smartcard'] as const
/** A second factor that this page can log in with. */
export type OfferedFactor = (typeof known)[number]

/** The second factors that both the appliance and the browser support. */
export const useOfferedFactors = () =>
  useQuery({
    queryKey: ['logintypes'],
    queryFn: ({ signal }) => call('authinfo.logintypes', { signal }),
    staleTime: Infinity,
    select({ CALLINFO }): readonly OfferedFactor[] {
      const enabled = CALLINFO.enabled_login_types.flat()
      return known.filter((type) => enabled.includes(type) && (type !== 'webauthn' || hasPasskeys()))
    },
  })
