import type { VaultMember } from '../interface/calls.ts'
import { useWordsOf } from '../words/spoken.tsx'
import { sharingWords } from './sharing-words.ts'

/** What narrows a member to less than Read. The operations are words of the interface. */
export function GrantedList({ grants }: { readonly grants: NonNullable<VaultMember['grants']> }) {
  const words = useWordsOf(sharingWords)
  return (
    <div className="granted">
      <span className="soft">{words.narrowed}</span>
      <ul>
        {grants.map((entry) => (
          <li key={JSON.stringify(entry)}>
            {'keys' in entry ? (
              <>
                {words.narrowedKeys(entry.keys)} <span lang="en">{entry.operations.join(', ')}</span>
                {entry.aad !== undefined && `, ${words.beginning}`}
                {entry.daily !== undefined && `, ${words.daily(entry.daily)}`}
              </>
            ) : (
              <>
                {words.narrowedObjects} <span lang="en">{entry.objects.join(', ')}</span>
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
