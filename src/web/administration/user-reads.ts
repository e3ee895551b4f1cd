import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDone } from '../controls/change-done.ts'
import { call, type AdministeredUser, type FoundPerson } from '../interface/calls.ts'

/** Users on a page, so that a call costs the same however many users there are. */
const pageSize = '50'

/** Whether a record has all members, which administrators get. */
const isWhole = (user: FoundPerson): user is AdministeredUser => 'username' in user

export const useUserPage = (searchstring: string, next: string | undefined) =>
  useQuery({
    queryKey: ['users', 'page', searchstring, next],
    placeholderData: keepPreviousData,
    async queryFn({ signal }) {
      const query = { limit: pageSize, ...(searchstring && { searchstring }), ...(next !== undefined && { next }) }
      const { CALLINFO } = await call('user.list', { query, signal })
      return { users: [...CALLINFO.users].filter(isWhole), following: CALLINFO.next }
    },
  })

export const useUser = (userid: string) =>
  useQuery({
    queryKey: ['users', 'one', userid],
    queryFn: ({ signal }) => readUser(userid, signal),
  })

async function readUser(userid: string, signal: AbortSignal): Promise<AdministeredUser | undefined> {
  const { CALLINFO } = await call('user.read', { params: { userid }, signal })
  return [...CALLINFO.users].find(isWhole)
}

/**
 * Reads the present status. The call sends the whole status, so that a stale one would undo another administrator's
 * change.
 */
export async function readStatus({ id, status }: AdministeredUser, signal: AbortSignal): Promise<number> {
  return Number((await readUser(id, signal))?.status ?? status)
}

export const useDevices = (userid: string) =>
  useQuery({
    queryKey: ['users', 'devices', userid],
    queryFn: async ({ signal }) => (await call('user.otp.list', { params: { userid }, signal })).CALLINFO.otpdevices,
  })

export const useUserPasskeys = (userid: string) =>
  useQuery({
    queryKey: ['users', 'passkeys', userid],
    queryFn: async ({ signal }) => (await call('user.passkey.list', { params: { userid }, signal })).CALLINFO.passkeys,
  })

export const useUserCertificate = (userid: string) =>
  useQuery({
    queryKey: ['users', 'certificate', userid],
    queryFn: async ({ signal }) =>
      (await call('usercert.readany', { params: { userid }, signal })).CALLINFO.certificate ?? null,
  })

export const useUserSessions = (userid: string) =>
  useQuery({
    queryKey: ['users', 'sessions', userid],
    queryFn: async ({ signal }) => (await call('user.sessions', { params: { userid }, signal })).CALLINFO.sessions,
  })

/** A change may also have ended sessions and changed the list, so that all data of users is read again. */
export const useUsersDone = () => useDone(['users'])
