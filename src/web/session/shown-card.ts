import { useQuery } from '@tanstack/react-query'
import { call } from '../interface/calls.ts'
import { hasStatus } from '../interface/refusal.ts'

/**
 * The port on which the appliance asks browsers for a client certificate, the same for all clients of the interface
 * (docs/clients.md). It serves the console, too.
 */
const cardPort = '8443'

/** Whether this page is served at the port that asks for smartcards. */
export const isAtCardPort = (): boolean => location.port === cardPort

/** Address of the present view at the port that asks for smartcards. */
export const addressWithCard = (): string => `https://${location.hostname}:${cardPort}/${location.hash}`

/** The user of the smartcard that the browser shows to this page's listener; null without a valid card. */
export const useShownCard = (isWanted: boolean) =>
  useQuery({
    queryKey: ['shown card'],
    async queryFn({ signal }) {
      try {
        return (await call('authinfo.smcuser', { signal })).CALLINFO.username
      } catch (error) {
        if (hasStatus(error, 401)) return null
        throw error
      }
    },
    enabled: isWanted,
    staleTime: 0,
  })
