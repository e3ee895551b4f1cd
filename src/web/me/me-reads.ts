import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../interface/calls.ts'

/** Query keys of the person's own account. The end of the session clears all of them. */
export const ownAccountKey = ['me', 'account'] as const
export const ownDevicesKey = ['me', 'devices'] as const
export const ownPasskeysKey = ['me', 'passkeys'] as const
export const ownSessionsKey = ['me', 'sessions'] as const

const ownAccountQuery = queryOptions({
  queryKey: ownAccountKey,
  queryFn: ({ signal }) => call('me.read', { signal }),
})

export const useOwnAccount = () => useQuery(ownAccountQuery)

/** Whether the appliance allows one-time links. Asked for once. */
export const useHasLinks = (): boolean =>
  useQuery({ ...ownAccountQuery, staleTime: Infinity, select: ({ CALLINFO }) => CALLINFO?.links }).data === true

export const useOwnDevices = (userid: string) =>
  useQuery({ queryKey: ownDevicesKey, queryFn: ({ signal }) => call('user.otp.list', { params: { userid }, signal }) })

export const useOwnPasskeys = (userid: string) =>
  useQuery({
    queryKey: ownPasskeysKey,
    queryFn: ({ signal }) => call('user.passkey.list', { params: { userid }, signal }),
  })

export const useOwnSessions = (userid: string) =>
  useQuery({ queryKey: ownSessionsKey, queryFn: ({ signal }) => call('user.sessions', { params: { userid }, signal }) })

export const useOwnCertificate = () =>
  useQuery({ queryKey: ['me', 'certificate'], queryFn: ({ signal }) => call('usercert.read', { signal }) })
