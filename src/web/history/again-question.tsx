import { useQueryClient } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { useLocation } from 'wouter'
import { useAction } from '../controls/action.ts'
import { announce } from '../controls/announcement.tsx'
import { useLate } from '../controls/late.ts'
import { Question } from '../controls/question.tsx'
import { Trouble } from '../controls/trouble.tsx'
import type { EarlierVersion, StoredObject, StoredTemplate } from '../interface/calls.ts'
import { useWords, useWordsOf } from '../words/spoken.tsx'
import { putBack } from './earlier-reads.ts'
import { historyWords } from './history-words.ts'

interface Props {
  readonly earlier: EarlierVersion
  readonly object: StoredObject
  readonly template: StoredTemplate
  readonly onClose: () => void
}

/** Asks before an object gets earlier values again, and leads to the object that has them. */
export function AgainQuestion({ earlier, object, template, onClose }: Props) {
  const words = useWords()
  const own = useWordsOf(historyWords)
  const queries = useQueryClient()
  const [, go] = useLocation()
  const { isUnderWay, error, run } = useAction()
  const isLate = useLate(isUnderWay)
  const { version } = earlier
  const accept = (): Promise<boolean> =>
    run(async (signal) => {
      await putBack(object, template, earlier, signal).catch((refused: unknown) => {
        // Another has changed it meanwhile: the history is shown as it is now.
        void queries.invalidateQueries({ queryKey: ['object', object.id] })
        throw refused
      })
      void queries.invalidateQueries({ queryKey: ['vault', object.groupid] })
      // Read anew by the view that is shown next.
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
        {isLate ? words.underWay : own.askGo}
      </Button>
    </>
  )
  return (
    <Question icon={<RotateCcw aria-hidden />} title={own.askTitle(version)} actions={actions} onClose={onClose}>
      <p>{own.askText}</p>
      {error !== undefined && <Trouble error={error} />}
    </Question>
  )
}
