import { useState, type Dispatch, type SetStateAction } from 'react'
import type { TypingForm } from '../controls/kept-typing.ts'
import { useSession } from './session.tsx'

/** Whether the person had typed into this form when the session ended: its dialog opens again. */
export function useIsBegun<Value>(form: TypingForm<Value>, place: string): boolean {
  const { person } = useSession()
  const [isBegun] = useState(() => form.at(person?.userid, place) !== undefined)
  return isBegun
}

/**
 * State of a form, restored when the same person logs in after the session has ended.
 * @param form A constant of the module
 * @param place Which form of its kind, for example the id of what it edits
 */
export function useTypedState<Value>(
  form: TypingForm<Value>,
  place: string,
  initial: Value,
): [Value, Dispatch<SetStateAction<Value>>] {
  const { person } = useSession()
  const [before] = useState(initial)
  const state = useState(() => form.at(person?.userid, place) ?? before)
  form.useTyping(person?.userid, place, state[0] === before ? undefined : state[0])
  return state
}
