import { useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { Button } from 'react-aria-components/Button'
import { useLocation } from 'wouter'
import { useAction } from '../controls/action.ts'
import { announce } from '../controls/announcement.tsx'
import { useIsSlow } from '../controls/slow-work.ts'
import { Question } from '../controls/question.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { call, type StoredObject } from '../interface/calls.ts'
import { TooManyObjects, tooLargeForOneCall } from '../vaults/objects-per-call.tsx'
import { allBelow, arrange } from '../vaults/vault-contents.ts'
import { useContents } from '../vaults/vault-reads.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { actionWords } from './object-actions-words.ts'

interface Props {
  readonly object: StoredObject
  readonly onClose: () => void
}

const mostNamed = 8

/** Asks before an object is deleted, and names the objects inside it. */
export function DeleteQuestion({ object, onClose }: Props) {
  const words = useWords()
  const own = useWordsOf(actionWords)
  const queries = useQueryClient()
  const [, go] = useLocation()
  const { id, groupid, parentid, objectname } = object
  const { data, error: unread, refetch } = useContents(groupid)
  const arranged = useMemo(() => data && arrange(data, words.locale), [data, words])
  const below = arranged ? allBelow(arranged, id) : []
  const row = arranged?.byId.get(id)
  const heap = arranged && row && tooLargeForOneCall(arranged, [row])
  const { isUnderWay, error, run } = useAction()
  const isSlow = useIsSlow(isUnderWay)

  const remove = (): Promise<boolean> =>
    run(async (signal) => {
      await call('object.delete', { params: { objectid: id }, body: { children: below.length > 0 }, signal })
      void queries.invalidateQueries({ queryKey: ['vault', groupid] })
      void queries.invalidateQueries({ queryKey: ['object', parentid] })
      queries.removeQueries({ queryKey: ['object', id] })
      announce(own.deleted(objectname))
      go(parentid === '0' ? `/vault/${groupid}` : `/vault/${groupid}/${parentid}`, { replace: true })
    })
  const actions = (
    <>
      <Button className="button" autoFocus onPress={onClose}>
        {words.cancel}
      </Button>
      {arranged && !heap && (
        <Button className="button danger" onPress={() => void remove()}>
          {isSlow ? words.underWay : below.length > 0 ? own.deleteAll(below.length + 1) : own.remove}
        </Button>
      )}
    </>
  )
  return (
    <Question icon={<Trash2 aria-hidden />} title={own.deleteTitle(objectname)} actions={actions} onClose={onClose}>
      {heap ? <TooManyObjects heap={heap} /> : <p>{own.deleteText}</p>}
      {below.length > 0 && !heap && (
        <>
          <p>{own.deleteBelow(below.length)}</p>
          <ul className="doomed">
            {below.slice(0, mostNamed).map((row) => (
              <li key={row.object.id}>{row.object.objectname}</li>
            ))}
            {below.length > mostNamed && <li className="soft">{own.andMore(below.length - mostNamed)}</li>}
          </ul>
        </>
      )}
      {unread && !arranged && <ErrorMessage error={unread} onTryAgain={refetch} />}
      {error !== undefined && <ErrorMessage error={error} />}
    </Question>
  )
}
