import { call } from '../interface/calls.ts'
import { hasNumber } from '../interface/refusal.ts'

const pageSize = '50'

/** A page of the person's own links, with the limits of the appliance. */
export const pageQuery = (next: string | undefined) => ({
  queryKey: ['links', next],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
    call('link.list', { query: { limit: pageSize, ...(next !== undefined && { next }) }, signal }),
  retry: false,
})

/** Number of the fault `link.disabled`. */
export const areOff = (error: unknown): boolean => hasNumber(error, 1763)
