import { FormDialog } from '../controls/form-dialog.tsx'
import { TypingForm } from '../controls/kept-typing.ts'
import { call, type AdministeredUser } from '../interface/calls.ts'
import { useTypedState } from '../session/typed-state.ts'
import { useWordsOf } from '../words/language.tsx'
import { PassphraseInput } from '../controls/passphrase-input.tsx'
import { RecoveryWarning } from './recovery-warning.tsx'
import { useUsersDone } from './user-reads.ts'
import { userWords } from './user-words.ts'

interface Props {
  readonly user: AdministeredUser
  /** Called with sentences about memberships that are now on hold. */
  readonly onTold: (sentences: readonly string[]) => void
  readonly onClose: () => void
}

export const resetTyping = new TypingForm<string>()

/** Resets a user's pass phrase, and explains the effect before. */
export function ResetDialog({ user, onTold, onClose }: Props) {
  const words = useWordsOf(userWords)
  const done = useUsersDone()
  const [newpassphrase, setNewpassphrase] = useTypedState(resetTyping, user.id, '')
  async function reset(signal: AbortSignal): Promise<void> {
    const { CALLINFO } = await call('user.passphrase', { params: { userid: user.id }, body: { newpassphrase }, signal })
    onTold(CALLINFO.general)
    await done(words.resetDone)
  }
  return (
    <FormDialog
      title={words.resetTitle(user.fullname)}
      submitText={words.reset}
      isDangerous
      onSubmit={reset}
      onClose={onClose}
    >
      <RecoveryWarning userid={user.id} username={user.username} fullname={user.fullname} />
      <PassphraseInput
        label={words.newPassphrase}
        description={words.newPassphraseHelp}
        value={newpassphrase}
        onChange={setNewpassphrase}
      />
    </FormDialog>
  )
}
