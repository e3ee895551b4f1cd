import { Check, X } from 'lucide-react'
import { useDebounced } from '../controls/debounced.ts'
import { useWordsOf } from '../words/language.tsx'
import { editingWords } from './editing-words.ts'
import { statesOf, type RulesByName } from './policy-rules.ts'

/** Milliseconds without typing, so that a screen reader does not read out the result after every key. */
const restMs = 600

/** The rules for a value, and whether it keeps each one. */
export function PolicyCheck({ rules, value }: { readonly rules: RulesByName; readonly value: string }) {
  const words = useWordsOf(editingWords)
  const rested = useDebounced(value, restMs)
  const sentences: Readonly<Record<string, (bound: number) => string>> = words.rule
  const states = statesOf(rules, value)
  if (states.length === 0) return null
  const broken = statesOf(rules, rested).filter(({ isKept }) => !isKept).length
  const isTyped = value !== ''
  return (
    <div className="rules">
      <ul aria-label={words.rules}>
        {states.map(({ rule, value: bound, isKept }) => (
          <li key={rule} className={isTyped ? (isKept ? 'kept' : 'broken') : undefined}>
            {isTyped && (isKept ? <Check aria-hidden /> : <X aria-hidden />)}
            {sentences[rule]?.(Number(bound)) ?? rule}
            {isTyped && <span className="unseen"> ({isKept ? words.isKept : words.isBroken})</span>}
          </li>
        ))}
      </ul>
      <p className="unseen" role="status">
        {rested !== '' && (broken === 0 ? words.rulesKept : words.rulesBroken(broken))}
      </p>
    </div>
  )
}
