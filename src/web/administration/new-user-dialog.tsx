import { useLocation } from 'wouter'
import { FormDialog } from '../controls/form-dialog.tsx'
import { TypingForm } from '../controls/kept-typing.ts'
import { call } from '../interface/calls.ts'
import { useTypedState } from '../session/typed-state.ts'
import { useWordsOf } from '../words/language.tsx'
import { PassphraseInput } from '../controls/passphrase-input.tsx'
import { trimmed, type TypedUser } from './typed-user.ts'
import { UserFields } from './user-fields.tsx'
import { useUsersDone } from './user-reads.ts'
import { holding, newStatus } from './user-status.ts'
import { userWords } from './user-words.ts'

interface NewUser extends TypedUser {
  readonly passphrase: string
}

const nobody: NewUser = {
  username: '',
  fullname: '',
  email: '',
  status: holding(newStatus, 'changePassphrase', true),
  passphrase: '',
}
export const newUserTyping = new TypingForm<NewUser>()

/** Creates a user and then shows the user, who still needs a second factor. */
export function NewUserDialog({ onClose }: { readonly onClose: () => void }) {
  const words = useWordsOf(userWords)
  const [, go] = useLocation()
  const done = useUsersDone()
  const [typed, setTyped] = useTypedState(newUserTyping, '', nobody)
  const { passphrase } = typed

  async function create(signal: AbortSignal): Promise<void> {
    const user = trimmed(typed)
    const { CALLINFO } = await call('user.create', { body: { ...user, passphrase }, signal })
    await done(words.created(user.fullname))
    go(`/administration/users/${CALLINFO.id}`)
  }
  return (
    <FormDialog title={words.newUser} submitText={words.create} onSubmit={create} onClose={onClose}>
      <UserFields typed={typed} onChange={(user) => setTyped({ ...typed, ...user })} />
      <PassphraseInput
        label={words.firstPassphrase}
        description={words.firstPassphraseHelp}
        value={passphrase}
        onChange={(text) => setTyped({ ...typed, passphrase: text })}
      />
    </FormDialog>
  )
}
