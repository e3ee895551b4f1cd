import { useId } from 'react'
import { Button } from 'react-aria-components/Button'
import { ViewTitle } from '../controls/view-title.tsx'
import type { PassphraseDue } from '../session/passphrase-due.ts'
import { useSession } from '../session/session.tsx'
import { useWordsOf } from '../words/language.tsx'
import { meWords } from './me-words.ts'
import { PassphraseForm } from './passphrase-form.tsx'

/**
 * Asks for a new pass phrase before anything else is shown. One that is only too old can be kept for this session,
 * because the appliance merely reports its age.
 */
export function PassphraseDueView({ due }: { readonly due: PassphraseDue }) {
  const words = useWordsOf(meWords)
  const { settlePassphrase } = useSession()
  const rules = useId()
  return (
    <div className="login">
      <div className="card due">
        <ViewTitle text={words.dueTitle} />
        <p>{due === 'asked' ? words.dueAsked : words.dueOld}</p>
        <section className="rules" aria-labelledby={rules}>
          <h2 id={rules}>{words.rules}</h2>
          <ul>
            {words.passphraseRules.map((rule) => (
              <li key={rule}>{rule}</li>
            ))}
          </ul>
        </section>
        <PassphraseForm />
        {due === 'old' && (
          <div className="later">
            <Button className="button" onPress={() => settlePassphrase()}>
              {words.later}
            </Button>
            <span className="soft">{words.laterHelp}</span>
          </div>
        )}
      </div>
    </div>
  )
}
