import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { call, type SharedVault } from '../interface/calls.ts'
import { useWords } from '../words/language.tsx'

const keptMs = 300_000

/** A link to the keys of a vault, if it has any or the person may create one. */
export function KeysLink({ vault: { id, statustext, grants } }: { readonly vault: SharedVault }) {
  const words = useWords()
  const mayCreate = statustext !== 'Read'
  const mayRead = grants?.some((entry) => 'keys' in entry && entry.operations.includes('read')) ?? true
  const { data } = useQuery({
    queryKey: ['keys', id, 'any'],
    queryFn: ({ signal }) => call('transparent.key.list', { params: { vaultid: id }, signal }),
    select: ({ KEYS }) => KEYS.length > 0,
    enabled: !mayCreate && mayRead,
    staleTime: keptMs,
  })
  if (!mayCreate && data !== true) return null
  return (
    <a className="button small" href={`#/vault/${id}/keys`}>
      <KeyRound aria-hidden />
      {words.keys}
    </a>
  )
}
