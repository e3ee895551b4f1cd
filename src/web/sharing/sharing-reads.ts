import { queryOptions, useQuery } from '@tanstack/react-query'
import { call, type FoundPerson, type VaultMember } from '../interface/calls.ts'
import { searchable } from '../interface/user-search.ts'

export const membersOf = (vaultid: string) =>
  queryOptions({
    queryKey: ['members', vaultid],
    async queryFn({ signal }): Promise<readonly VaultMember[]> {
      const { CALLINFO } = await call('vault.members', { params: { vaultid }, signal })
      return CALLINFO?.vaultmembers ?? []
    },
  })

export const useMembers = (vaultid: string) => useQuery(membersOf(vaultid))

export const leastSearched = 2

/** A longer result is cut off; more letters of the name narrow it. */
const mostFound = '100'

/** People whose name or e-mail address contains the text. */
export const usePeople = (text: string) => {
  const searchstring = searchable(text)
  return useQuery({
    queryKey: ['people', searchstring],
    enabled: Array.from(searchstring).length >= leastSearched,
    async queryFn({ signal }) {
      const { CALLINFO } = await call('user.list', { query: { searchstring, limit: mostFound }, signal })
      const people: readonly FoundPerson[] = CALLINFO?.users ?? []
      return { people, searched: searchstring, isCutOff: CALLINFO?.next !== undefined }
    },
  })
}
