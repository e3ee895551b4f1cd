import { useState, type FormEvent } from 'react'
import { Button } from 'react-aria-components/Button'
import { Form } from 'react-aria-components/Form'
import { useAction } from '../controls/action.ts'
import { useDone } from '../controls/change-done.ts'
import { PassphraseInput } from '../controls/passphrase-input.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { call } from '../interface/calls.ts'
import { useSession } from '../session/session.tsx'
import { useWordsOf } from '../words/language.tsx'
import { useFreshFactor } from './fresh-factor.tsx'
import { ownAccountKey, ownSessionsKey } from './me-reads.ts'
import { meWords } from './me-words.ts'
import { PassphraseStrength } from './passphrase-strength.tsx'

const empty = { present: '', next: '', again: '' }

/** The form for a new pass phrase. After a refusal the typed text stays, but not the code, which is used up. */
export function PassphraseForm() {
  const words = useWordsOf(meWords)
  const { person, settlePassphrase } = useSession()
  const done = useDone(ownAccountKey, ownSessionsKey)
  const [typed, setTyped] = useState(empty)
  const factor = useFreshFactor('webauthn', 'smartcard')
  const { error, isUnderWay, run } = useAction()
  const set = (part: Partial<typeof empty>): void => setTyped((before) => ({ ...before, ...part }))
  const differs = typed.again !== '' && typed.again !== typed.next

  async function change(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    if (typed.again !== typed.next) return
    const passphrases = { passphrase: typed.present, newpassphrase: typed.next }
    let userstatus: string | undefined
    const isDone = await run(async (signal) => {
      const shown = await factor.show(signal)
      const { CALLINFO } = await call('auth.passphrase', { body: { ...passphrases, ...shown }, signal })
      userstatus = CALLINFO.userstatus
    })
    if (!isDone) return
    setTyped(empty)
    settlePassphrase(userstatus)
    await done(words.passphraseIsChanged)
  }
  return (
    <Form className="form" onSubmit={(event) => void change(event)}>
      <input type="text" name="username" autoComplete="username" value={person?.username ?? ''} readOnly hidden />
      <PassphraseInput
        name="present"
        label={words.presentPassphrase}
        autoComplete="current-password"
        value={typed.present}
        onChange={(present) => set({ present })}
      />
      <PassphraseInput
        name="next"
        label={words.newPassphrase}
        description={words.newPassphraseHelp}
        autoComplete="new-password"
        value={typed.next}
        onChange={(next) => set({ next })}
      />
      {typed.next !== '' && <PassphraseStrength passphrase={typed.next} known={person?.username ?? ''} />}
      <PassphraseInput
        name="again"
        label={words.repeatPassphrase}
        autoComplete="new-password"
        value={typed.again}
        onChange={(again) => set({ again })}
        error={differs ? words.repeatDiffers : undefined}
      />
      {factor.input}
      {error !== undefined && <ErrorMessage error={error} />}
      <div className="buttons">
        <Button type="submit" className="button primary" isPending={isUnderWay}>
          {words.changePassphrase}
        </Button>
      </div>
    </Form>
  )
}
