import type { VaultMember } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { grantWords } from './grant-words.ts'

/** The grants of a narrowed member. */
export function GrantedList({ grants }: { readonly grants: NonNullable<VaultMember['grants']> }) {
  const words = useWordsOf(grantWords)
  return (
    <div className="granted">
      <span className="soft">{words.narrowed}</span>
      <ul>
        {grants.map((entry) => (
          <li key={JSON.stringify(entry)}>
            {'keys' in entry ? (
              <>
                {words.narrowedKeys(entry.keys)} {entry.operations.map((one) => words.keyOperations[one]).join(', ')}
                {entry.aad !== undefined && `, ${words.beginning}`}
                {entry.daily !== undefined && `, ${words.daily(entry.daily)}`}
                {entry.strict && `, ${words.strict}`}
              </>
            ) : (
              <>
                {words.narrowedObjects} {entry.objects.map((one) => words.objectOperations[one]).join(', ')}
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
