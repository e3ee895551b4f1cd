import { useEffect, useState } from 'react'
import { useWordsOf } from '../words/language.tsx'
import { meWords } from './me-words.ts'

interface Props {
  readonly passphrase: string
  /** Text that an attacker would try first, such as the username. */
  readonly known: string
}

/**
 * Estimates the strength with the same library as the appliance. It is loaded when typing begins, and nothing that is
 * typed leaves the page.
 */
export function PassphraseStrength({ passphrase, known }: Props) {
  const words = useWordsOf(meWords)
  const [score, setScore] = useState<number | 'unknown'>()
  useEffect(() => {
    let isGone = false
    import('./strength-estimate.ts')
      .then(({ estimateStrength }) => isGone || setScore(estimateStrength(passphrase, known)))
      .catch(() => isGone || setScore('unknown'))
    return () => {
      isGone = true
    }
  }, [passphrase, known])
  if (score === 'unknown') return <p className="soft">{words.strengthUnknown}</p>
  return (
    <div className="strength">
      <span aria-hidden="true" className="bars" data-score={score}>
        {words.strengths.map((name, at) => (
          <i key={name} className={score !== undefined && at <= score ? 'on' : ''} />
        ))}
      </span>
      {/* A blank line while the library is loaded, so that what lies below does not move from under a pointer. */}
      <span role="status">{score === undefined ? '\u00a0' : `${words.strength}: ${words.strengths[score]}`}</span>
    </div>
  )
}
