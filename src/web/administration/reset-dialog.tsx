import { useState } from 'react'
import { announce } from '../controls/announcement.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { call, type AdministeredUser } from '../interface/calls.ts'
import { useWordsOf } from '../words/spoken.tsx'
import { RecoveryWarning } from './recovery-warning.tsx'
import { useUsersAnew } from './user-reads.ts'
import { userWords } from './user-words.ts'

interface Props {
  readonly user: AdministeredUser
  /** Told what the appliance says of memberships that rest now. */
  readonly onTold: (sentences: readonly string[]) => void
  readonly onClose: () => void
}

/** What a reset does is said before it is done. */
export function ResetDialog({ user, onTold, onClose }: Props) {
  const words = useWordsOf(userWords)
  const readAnew = useUsersAnew()
  const [newpassphrase, setNewpassphrase] = useState('')
  async function reset(signal: AbortSignal): Promise<void> {
    const { CALLINFO } = await call('user.passphrase', { params: { userid: user.id }, body: { newpassphrase }, signal })
    announce(words.resetDone)
    onTold(CALLINFO.general)
    await readAnew()
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
      <TextInput
        label={words.newPassphrase}
        description={words.newPassphraseHelp}
        value={newpassphrase}
        onChange={setNewpassphrase}
        type="password"
        isRequired
        autoComplete="new-password"
      />
    </FormDialog>
  )
}
