import { useState } from 'react'
import { FormDialog } from '../controls/form-dialog.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { call, type ListedPasskey } from '../interface/calls.ts'
import { makePasskey } from '../passkeys/webauthn.ts'
import { useSession } from '../session/session.tsx'
import { useWordsOf } from '../words/language.tsx'
import { useFreshFactor } from './fresh-factor.tsx'
import { meWords } from './me-words.ts'
import { passkeyWords } from './passkey-words.ts'

/** The most characters that the appliance accepts. */
const longestName = 64

interface PasskeyChange {
  /** Called with the sentence to announce. */
  readonly onDone: (text: string) => Promise<void>
  readonly onClose: () => void
}
type PasskeyChangeOf = PasskeyChange & { readonly passkey: ListedPasskey }

/**
 * Registers a passkey. The second factor is asked for after the browser has created the passkey, so that a failure
 * there does not use it up.
 */
export function NewPasskey({ onDone, onClose }: PasskeyChange) {
  const words = useWordsOf(passkeyWords)
  const { person } = useSession()
  const [typed, setTyped] = useState('')
  const factor = useFreshFactor('webauthn')
  async function register(signal: AbortSignal): Promise<void> {
    if (person === undefined) return
    const { CALLINFO } = await call('me.challenge', { signal })
    const registration = await makePasskey(CALLINFO, person, signal)
    const body = { name: typed.trim(), registration, ...(await factor.show(signal)) }
    await call('me.passkey.register', { body, signal })
    await onDone(words.registered(body.name))
  }
  return (
    <FormDialog title={words.register} submitText={words.register} onSubmit={register} onClose={onClose}>
      <p className="soft">{words.registerText}</p>
      <NameInput value={typed} onChange={setTyped} />
      {factor.input}
    </FormDialog>
  )
}

export function PasskeyRenaming({ passkey, onDone, onClose }: PasskeyChangeOf) {
  const words = useWordsOf(passkeyWords)
  const [typed, setTyped] = useState(passkey.name)
  async function rename(signal: AbortSignal): Promise<void> {
    const name = typed.trim()
    await call('me.passkey.rename', { params: { passkeyid: passkey.id }, body: { name }, signal })
    await onDone(words.renamed(name))
  }
  return (
    <FormDialog title={words.renameTitle} submitText={words.rename} onSubmit={rename} onClose={onClose}>
      <NameInput value={typed} onChange={setTyped} />
    </FormDialog>
  )
}

export function PasskeyRemoval({ passkey: { id, name }, onDone, onClose }: PasskeyChangeOf) {
  const words = useWordsOf(passkeyWords)
  const { remove: submitText } = useWordsOf(meWords)
  const factor = useFreshFactor('webauthn')
  async function remove(signal: AbortSignal): Promise<void> {
    const body = await factor.show(signal)
    await call('me.passkey.remove', { params: { passkeyid: id }, body, signal })
    await onDone(words.passkeyRemoved(name))
  }
  return (
    <FormDialog title={words.removeTitle} submitText={submitText} isDangerous onSubmit={remove} onClose={onClose}>
      <p>{words.removeText(name)}</p>
      {factor.input}
    </FormDialog>
  )
}

function NameInput({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const words = useWordsOf(passkeyWords)
  return (
    <TextInput
      name="passkeyname"
      label={words.name}
      description={words.nameHelp}
      value={value}
      onChange={onChange}
      maxLength={longestName}
      kind="name"
      autoComplete="off"
      isRequired
    />
  )
}
