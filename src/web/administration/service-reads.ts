import { useQuery } from '@tanstack/react-query'
import { useDone } from '../controls/change-done.ts'
import { call, type ServiceAccount } from '../interface/calls.ts'

export const useServices = () =>
  useQuery({
    queryKey: ['services', 'all'],
    queryFn: async ({ signal }) => (await call('service.list', { signal })).CALLINFO.services,
  })

/** The service accounts that a person owns; none while the list is loading or cannot be read. */
export function useOwnServices(userid: string | undefined): readonly ServiceAccount[] {
  const { data = [] } = useServices()
  return data.filter(({ owner }) => owner.id === userid)
}

export const useService = (serviceid: string) =>
  useQuery({
    queryKey: ['services', 'one', serviceid],
    queryFn: async ({ signal }) => (await call('service.read', { params: { serviceid }, signal })).CALLINFO.service,
  })

export const useServicesDone = () => useDone(['services'])
