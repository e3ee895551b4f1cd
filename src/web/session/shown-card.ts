import { useQuery } from '@tanstack/react-query'
import { call } from '../interface/calls.ts'
import { Refusal } from '../interface/refusal.ts'

/**
 * Where the appliance asks browsers for a certificate, for all clients of this interface (docs/clients.md). The console is
 * served there, too.
 */
const cardPort = '8443'

/** Whether this page is the one that asks for smartcards. */
export const isAtCardPort = (): boolean => location.port === cardPort

/** The view that is shown, on the page that asks for smartcards. */
export const addressWithCard = (): string => `https://${location.hostname}:${cardPort}/${location.hash}`

/** Whose smartcard the browser shows to this page's listener; null for none that is good. */
export const useShownCard = (isWanted: boolean) =>
  useQuery({
    queryKey: ['shown card'],
    async queryFn({ signal }) {
      try {
        return (await call('authinfo.smcuser', { signal })).CALLINFO.username
      } catch (error) {
        if (error instanceof Refusal && error.status === 401) return null
        throw error
      }
    },
    enabled: isWanted,
    staleTime: 0,
  })
