import { useQueryClient } from '@tanstack/react-query'
import { BellRing } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import type { Action } from '../controls/action.ts'
import { Question } from '../controls/question.tsx'
import { call, type ReadObject } from '../interface/calls.ts'
import { useWords } from '../words/language.tsx'

/**
 * Whether a read raises an alarm. The call for one secret decrypts all of them, so one field with an alarm is enough; a
 * file always raises it.
 */
const canAlarm = ({ OBJECT: [object], TEMPLATES }: ReadObject, what: Asked): boolean =>
  object?.alarmed !== false &&
  (what === 'file' ||
    (TEMPLATES.find(({ id }) => id === object?.templateid)?.structure ?? []).some(
      ({ encrypted, type, alarm }) => encrypted && type !== 'file' && alarm,
    ))

type Asked = 'secrets' | 'file'

/**
 * Resolves to whether the read goes on; asks the person where it raises an alarm. `run` makes the call that finds this
 * out, and keeps its error.
 */
export type MayRead = (run: Action['run']) => Promise<boolean>

/**
 * Asks before a read that raises an alarm. It reads the object again, because another user may have set the alarm
 * meanwhile.
 */
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
    const isChanged = shown?.alarmed !== object?.alarmed || shown?.version !== object?.version
    if (isChanged) void queries.invalidateQueries({ queryKey: ['object', objectid] })
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

/** Asks whether to read a secret although that raises an alarm. */
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
