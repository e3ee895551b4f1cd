import { BellRing, ShieldAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { StoredObject } from '../interface/calls.ts'
import { useWords } from '../words/language.tsx'

/** A bit of an object's status: a value breaks the policy of the vault. */
const weakBit = 1024

interface ObjectMark {
  readonly className: string
  readonly icon: ReactNode
  readonly text: string
}

/** Marks for what a person should know of an object before reading its secrets. */
export function useObjectMarks({ alarmed, status }: StoredObject): readonly ObjectMark[] {
  const words = useWords()
  const alarm = { className: 'mark-alarm', icon: <BellRing aria-hidden />, text: words.alarmed }
  const weak = { className: 'mark-weak', icon: <ShieldAlert aria-hidden />, text: words.weak }
  return [...(alarmed === false ? [] : [alarm]), ...((Number(status) & weakBit) === 0 ? [] : [weak])]
}
