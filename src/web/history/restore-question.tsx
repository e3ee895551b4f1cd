import { useQueryClient } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { useLocation } from 'wouter'
import { useAction } from '../controls/action.ts'
import { announce } from '../controls/announcement.tsx'
import { useIsSlow } from '../controls/slow-work.ts'
import { Question } from '../controls/question.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import type { EarlierVersion, StoredObject, StoredTemplate } from '../interface/calls.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { putBack } from './earlier-reads.ts'
import { historyWords } from './history-words.ts'

interface Props {
  readonly earlier: EarlierVersion
  readonly object: StoredObject
  readonly template: StoredTemplate
  readonly onClose: () => void
}

/** Asks before an object gets the values of an earlier version back, and then shows the object. */
export function RestoreQuestion({ earlier, object, template, onClose }: Props) {
  const words = useWords()
  const own = useWordsOf(historyWords)
  const queries = useQueryClient()
  const [, go] = useLocation()
  const { isUnderWay, error, run } = useAction()
  const isSlow = useIsSlow(isUnderWay)
  const { version } = earlier
  const accept = (): Promise<boolean> =>
    run(async (signal) => {
      await putBack(object, template, earlier, signal).catch((refused: unknown) => {
        // Another person may have changed the object meanwhile, so the history is read again.
        void queries.invalidateQueries({ queryKey: ['object', object.id] })
        throw refused
      })
      void queries.invalidateQueries({ queryKey: ['vault', object.groupid] })
      // The next view reads it.
      await queries.invalidateQueries({ queryKey: ['object'], refetchType: 'none' })
      announce(own.usedAgain(version))
      go(`/object/${object.id}`)
    })
  const actions = (
    <>
      <Button className="button" autoFocus onPress={onClose}>
        {words.cancel}
      </Button>
      <Button className="button primary" onPress={() => void accept()}>
        {isSlow ? words.underWay : own.askGo}
      </Button>
    </>
  )
  return (
    <Question icon={<RotateCcw aria-hidden />} title={own.askTitle(version)} actions={actions} onClose={onClose}>
      <p>{own.askText}</p>
      {error !== undefined && <ErrorMessage error={error} />}
    </Question>
  )
}
