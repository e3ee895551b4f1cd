import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../interface/calls.ts'

export const useServices = () =>
  useQuery({
    queryKey: ['services', 'all'],
    queryFn: async ({ signal }) => (await call('service.list', { signal })).CALLINFO.services,
  })

export const useService = (serviceid: string) =>
  useQuery({
    queryKey: ['services', 'one', serviceid],
    queryFn: async ({ signal }) => (await call('service.read', { params: { serviceid }, signal })).CALLINFO.service,
  })

export function useServicesAnew(): () => Promise<void> {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: ['services'] })
}
