import { useState } from 'react'
import { announce } from '../controls/announcement.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { call } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { userWords } from './user-words.ts'

interface Props {
  readonly userid: string
  readonly deviceid: string
  readonly onClose: () => void
}

/** Resynchronizes a HOTP token that was pressed so often that its codes are refused. */
export function ResyncDialog({ userid, deviceid, onClose }: Props) {
  const words = useWordsOf(userWords)
  const [otp1, setOtp1] = useState('')
  const [otp2, setOtp2] = useState('')
  async function resynchronise(signal: AbortSignal): Promise<void> {
    await call('user.otp.resync', {
      params: { userid, deviceid },
      body: { otp1: otp1.replaceAll(/\s/g, ''), otp2: otp2.replaceAll(/\s/g, '') },
      signal,
    })
    announce(words.resynced)
  }
  const code = { kind: 'code', inputMode: 'numeric', isRequired: true, autoComplete: 'off' } as const
  return (
    <FormDialog title={words.resyncTitle} submitText={words.resync} onSubmit={resynchronise} onClose={onClose}>
      <p>{words.resyncHelp}</p>
      <TextInput {...code} label={words.firstCode} value={otp1} onChange={setOtp1} />
      <TextInput {...code} label={words.secondCode} value={otp2} onChange={setOtp2} />
    </FormDialog>
  )
}
