import { Undo2 } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { useAction } from '../controls/action.ts'
import { useDone } from '../controls/change-done.ts'
import { LongList } from '../controls/long-list.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { call, type ListedKey } from '../interface/calls.ts'
import { hidesData } from '../interface/refusal.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { keysOf, useDeletedKeys } from './keys-reads.ts'
import { keysWords } from './keys-words.ts'
import { relativeWords } from './relative-moment.tsx'
import { typeName } from './type-names.ts'

/** The deleted keys that an Admin can restore, each with the time left for it. */
export function DeletedKeys({ vaultid }: { readonly vaultid: string }) {
  const { locale } = useWords()
  const own = useWordsOf(keysWords)
  const done = useDone(keysOf(vaultid))
  const { data, error, refetch } = useDeletedKeys(vaultid, true)
  const action = useAction()
  const takeBack = (name: string): Promise<boolean> =>
    action.run(async (signal) => {
      await call('transparent.key.takeback', { params: { vaultid, name }, signal })
      await done(own.takenBack(name))
    }, name)
  if (hidesData(error, data)) return <ErrorMessage error={error} onTryAgain={refetch} />
  if (!data || data.keys.length === 0) return null
  return (
    <section>
      <h2>{own.deletedKeys}</h2>
      <p className="soft">{own.deletedHelp}</p>
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
      {action.error !== undefined && <ErrorMessage error={action.error} />}
      <LongList className="items card" items={data.keys} textOf={nameOf}>
        {({ name, type, destroyed = '' }) => (
          <li key={name}>
            <span className="texts">
              <span className="title">{name}</span>
              <span className="soft">
                {typeName(type)} · {own.destroyedIn(relativeWords(destroyed, locale))}
              </span>
            </span>
            <Button className="button small" aria-label={own.takeBackOf(name)} onPress={() => void takeBack(name)}>
              <Undo2 aria-hidden />
              {own.takeBack}
            </Button>
          </li>
        )}
      </LongList>
    </section>
  )
}

const nameOf = ({ name }: ListedKey): string => name
