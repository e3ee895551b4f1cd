import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { call, type VaultKeyRules, type ListedKey, type ReadKey } from '../interface/calls.ts'

/** The keys of a vault, and its rules for them. */
export interface ListedKeys {
  readonly keys: readonly ListedKey[]
  readonly rules: VaultKeyRules
}

/** The start of all query keys for the keys of a vault. A change invalidates them together. */
export const keysOf = (vaultid: string): readonly string[] => ['keys', vaultid]

/** Number of keys on a page of the answer; the last page has fewer. */
const pageSize = 1_000

async function listAll(vaultid: string, isDeleted: boolean, signal: AbortSignal): Promise<ListedKeys> {
  const keys: ListedKey[] = []
  for (let after = ''; ;) {
    const query = { after, details: !isDeleted, deleted: isDeleted }
    const { CALLINFO, KEYS } = await call('transparent.key.list', { params: { vaultid }, query, signal })
    keys.push(...KEYS)
    const last = KEYS.at(-1)
    if (last === undefined || KEYS.length < pageSize) return { keys, rules: CALLINFO }
    after = last.name
  }
}

export const useKeys = (vaultid: string): UseQueryResult<ListedKeys> =>
  useQuery({ queryKey: [...keysOf(vaultid), 'all'], queryFn: ({ signal }) => listAll(vaultid, false, signal) })

/** The deleted keys that can still be restored. Only Admins of the vault may list them. */
export const useDeletedKeys = (vaultid: string, isAdmin: boolean): UseQueryResult<ListedKeys> =>
  useQuery({
    queryKey: [...keysOf(vaultid), 'deleted'],
    queryFn: ({ signal }) => listAll(vaultid, true, signal),
    enabled: isAdmin,
  })

export const useKey = (vaultid: string, name: string): UseQueryResult<ReadKey> =>
  useQuery({
    queryKey: [...keysOf(vaultid), 'one', name],
    queryFn: ({ signal }) =>
      call('transparent.key.read', { params: { vaultid, name }, query: { details: true }, signal }),
  })

/** The key types that the token supports. They stay the same until the appliance restarts. */
export const useKeyTypes = () =>
  useQuery({
    queryKey: ['keytypes'],
    queryFn: ({ signal }) => call('transparent.types', { signal }),
    staleTime: Infinity,
  })
