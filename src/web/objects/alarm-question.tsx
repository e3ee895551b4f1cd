import { useQueryClient } from '@tanstack/react-query'
import { BellRing } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import type { Action } from '../controls/action.ts'
import { Question } from '../controls/question.tsx'
import { call, type ReadObject } from '../interface/calls.ts'
import { useWords } from '../words/spoken.tsx'

/** The call for one secret decrypts all of them, and each may raise the alarm; a file raises it always. */
const canAlarm = ({ OBJECT: [object], TEMPLATES }: ReadObject, what: Asked): boolean =>
  object?.alarmed !== false &&
  (what === 'file' ||
    (TEMPLATES.find(({ id }) => id === object?.templateid)?.structure ?? []).some(
      ({ encrypted, type, alarm }) => encrypted && type !== 'file' && alarm,
    ))

type Asked = 'secrets' | 'file'

/** Whether the person goes on, where reading raises an alarm. `run` does what must be done to know, and keeps its error. */
export type MayRead = (run: Action['run']) => Promise<boolean>

/** Asks where reading raises an alarm as the object is now: another may have set it since it was shown. */
export function useAlarmQuestion(objectid: string) {
  const queries = useQueryClient()
  const [name, setName] = useState<string>()
  const waiting = useRef<(goesOn: boolean) => void>(undefined)
  const answer = (goesOn: boolean): void => {
    setName(undefined)
    waiting.current?.(goesOn)
  }
  async function mayRead(what: Asked, run: Action['run']): Promise<boolean> {
    let now: ReadObject | undefined
    const isKnown = await run(async (signal) => {
      now = await call('object.read', { params: { objectid }, signal })
    })
    if (!isKnown || now === undefined) return false
    const [object] = now.OBJECT
    const [shown] = queries.getQueryData<ReadObject>(['object', objectid])?.OBJECT ?? []
    if (shown?.alarmed !== object?.alarmed) void queries.invalidateQueries({ queryKey: ['object', objectid] })
    if (!canAlarm(now, what)) return true
    return new Promise((resolve) => {
      waiting.current = resolve
      setName(object?.objectname ?? '')
    })
  }
  return { mayRead, question: name !== undefined && <AlarmQuestion name={name} answer={answer} /> }
}

interface Props {
  /** Name of the object. */
  readonly name: string
  readonly answer: (goesOn: boolean) => void
}

/** Asks before a secret is read whose reading raises an alarm. */
function AlarmQuestion({ name, answer }: Props) {
  const words = useWords()
  const actions = (
    <>
      <Button className="button" autoFocus onPress={() => answer(false)}>
        {words.cancel}
      </Button>
      <Button className="button danger" onPress={() => answer(true)}>
        {words.alarmGo}
      </Button>
    </>
  )
  return (
    <Question icon={<BellRing aria-hidden />} title={words.alarmTitle} actions={actions} onClose={() => answer(false)}>
      <p>{words.alarmText(name)}</p>
    </Question>
  )
}
