import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { call, type VaultKeyRules, type ListedKey, type ReadKey } from '../interface/calls.ts'

/** Keys of a vault, and how they may be made and used there. */
export interface ListedKeys {
  readonly keys: readonly ListedKey[]
  readonly rules: VaultKeyRules
}

/** What is read of the keys of a vault begins with this, so that a change has all of it read anew. */
export const keysOf = (vaultid: string): readonly string[] => ['keys', vaultid]

/** Of a page that is not the last one. */
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

/** Those that can still be taken back: an Admin of the vault is told. */
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

/** What the token can do: the same until the appliance is started anew. */
export const useKeyTypes = () =>
  useQuery({
    queryKey: ['keytypes'],
    queryFn: ({ signal }) => call('transparent.types', { signal }),
    staleTime: Infinity,
  })
