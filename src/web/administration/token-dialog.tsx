import { useState } from 'react'
import { Choice } from '../controls/choice.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { call, type AdministeredUser } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { RecoveryWarning } from './recovery-warning.tsx'
import { useUsersDone } from './user-reads.ts'
import { userWords } from './user-words.ts'

interface Props {
  readonly user: AdministeredUser
  readonly onTold: (sentences: readonly string[]) => void
  readonly onClose: () => void
}

/** Adds a hardware token: one that the appliance knows by its public id, or a new one with its secrets. */
export function TokenDialog({ user, onTold, onClose }: Props) {
  const words = useWordsOf(userWords)
  const done = useUsersDone()
  const [is, setIs] = useState<'known' | 'new'>('known')
  const [publicId, setPublicId] = useState('')
  const [privateId, setPrivateId] = useState('')
  const [aesKey, setAesKey] = useState('')

  async function give(signal: AbortSignal): Promise<void> {
    const known = { kind: 'hwkey_otp' as const, public_id: publicId.trim() }
    const body = is === 'known' ? known : { ...known, private_id: privateId.trim(), secret: aesKey.trim() }
    const { CALLINFO } = await call('user.otp.enrol', { params: { userid: user.id }, body, signal })
    onTold(CALLINFO.general)
    await done(words.appAdded)
  }
  const code = { kind: 'code', isRequired: true, autoComplete: 'off' } as const
  return (
    <FormDialog title={words.tokenTitle(user.fullname)} submitText={words.addToken} onSubmit={give} onClose={onClose}>
      <Choice
        label={words.tokenIs}
        options={[
          { value: 'known', text: words.tokenKnown },
          { value: 'new', text: words.tokenNew },
        ]}
        value={is}
        onChange={setIs}
      />
      <TextInput
        {...code}
        label={words.publicId}
        description={words.publicIdHelp}
        value={publicId}
        onChange={setPublicId}
      />
      {is === 'new' && (
        <>
          <TextInput
            {...code}
            label={words.privateId}
            description={words.privateIdHelp}
            value={privateId}
            onChange={setPrivateId}
          />
          <TextInput
            {...code}
            label={words.aesKey}
            description={words.aesKeyHelp}
            value={aesKey}
            onChange={setAesKey}
            type="password"
          />
        </>
      )}
      <RecoveryWarning userid={user.id} username={user.username} fullname={user.fullname} />
    </FormDialog>
  )
}
