import { useState, type Dispatch, type SetStateAction } from 'react'
import type { TypingForm } from '../controls/kept-typing.ts'
import { useSession } from './session.tsx'

/**
 * What of a view is open, such as a dialog. At first that into whose form the person had typed when the session ended.
 * @param forms What can be open, with its form and the place of that
 */
export function useOpened<Opened>(
  forms: () => readonly (readonly [Opened, form: TypingForm<unknown>, place: string])[],
): [Opened | undefined, Dispatch<Opened | undefined>] {
  const { person } = useSession()
  return useState(() => forms().find(([, form, place]) => form.at(person?.userid, place) !== undefined)?.[0])
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
