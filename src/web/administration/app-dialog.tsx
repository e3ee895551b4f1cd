import { useState } from 'react'
import { Choice } from '../controls/choice.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { call, type AdministeredUser } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import type { OnceTold } from './once-shown.tsx'
import { RecoveryWarning } from './recovery-warning.tsx'
import { useUsersDone } from './user-reads.ts'
import { userWords } from './user-words.ts'

interface Props {
  readonly user: AdministeredUser
  /** Called with the seed that the appliance has generated. */
  readonly onMade: (made: OnceTold) => void
  readonly onTold: (sentences: readonly string[]) => void
  readonly onClose: () => void
}

/** Adds a device whose codes are digits: an app (TOTP), or a token with a button (HOTP). */
export function AppDialog({ user, onMade, onTold, onClose }: Props) {
  const words = useWordsOf(userWords)
  const done = useUsersDone()
  const [kind, setKind] = useState<'totp' | 'hotp'>('totp')
  const [typed, setTyped] = useState<TypedCounter>({ seed: '', counter: '', digits: '6' })

  async function enrol(signal: AbortSignal): Promise<void> {
    const body = kind === 'totp' ? { kind } : { kind, ...counterBody(typed) }
    const { CALLINFO } = await call('user.otp.enrol', { params: { userid: user.id }, body, signal })
    onTold(CALLINFO.general)
    if (CALLINFO.secret !== undefined)
      onMade({
        title: words.appTitle(user.fullname),
        label: words.seedLabel,
        secret: CALLINFO.secret,
        qr: CALLINFO.qr,
        told: CALLINFO.general,
      })
    await done(words.appAdded)
  }
  return (
    <FormDialog title={words.appTitle(user.fullname)} submitText={words.addApp} onSubmit={enrol} onClose={onClose}>
      <p>{words.appHelp}</p>
      <Choice
        label={words.codesOf}
        options={[
          { value: 'totp', text: words.deviceKinds.totp },
          { value: 'hotp', text: words.deviceKinds.hotp },
        ]}
        value={kind}
        onChange={setKind}
      />
      {kind === 'hotp' && <CounterFields typed={typed} onChange={setTyped} />}
      <RecoveryWarning userid={user.id} username={user.username} fullname={user.fullname} />
    </FormDialog>
  )
}

/** Properties of a token with a button. */
interface TypedCounter {
  readonly seed: string
  readonly counter: string
  readonly digits: '6' | '8'
}

function counterBody({ seed, counter, digits }: TypedCounter) {
  const secret = seed.replaceAll(/\s/g, '')
  return { digits, ...(secret !== '' && { secret }), ...(counter.trim() !== '' && { counter: counter.trim() }) }
}

interface CounterProps {
  readonly typed: TypedCounter
  readonly onChange: (typed: TypedCounter) => void
}

function CounterFields({ typed, onChange }: CounterProps) {
  const words = useWordsOf(userWords)
  return (
    <>
      <TextInput
        label={words.seed}
        description={words.seedHelp}
        value={typed.seed}
        onChange={(seed) => onChange({ ...typed, seed })}
        kind="code"
        autoComplete="off"
      />
      <TextInput
        label={words.counter}
        description={words.counterHelp}
        value={typed.counter}
        onChange={(counter) => onChange({ ...typed, counter })}
        inputMode="numeric"
        autoComplete="off"
      />
      <Choice
        label={words.digits}
        options={[
          { value: '6', text: '6' },
          { value: '8', text: '8' },
        ]}
        value={typed.digits}
        onChange={(digits) => onChange({ ...typed, digits })}
      />
    </>
  )
}
