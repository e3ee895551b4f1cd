import { useEffect, useState } from 'react'
import { FormDialog } from '../controls/form-dialog.tsx'
import { Loading } from '../controls/loading.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { partOf } from '../controls/view-of.tsx'
import { call } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { typedCode, useFreshFactor } from './fresh-factor.tsx'
import { meWords } from './me-words.ts'

const [QrPicture] = partOf(async () => (await import('./qr-picture.tsx')).QrPicture, <div className="qr" />)

/** The seed is only in this dialog, and is forgotten with it. */
interface Begun {
  readonly id: string
  readonly uri: string
  readonly secret: string
}

interface Props {
  readonly onDone: () => Promise<void>
  readonly onClose: () => void
}

/** Shows the seed of a new app, and asks for a code that proves it was stored. */
export function AppEnrolment({ onDone, onClose }: Props) {
  const words = useWordsOf(meWords)
  const [begun, setBegun] = useState<Begun>()
  const [error, setError] = useState<unknown>()
  const [typed, setTyped] = useState('')
  const factor = useFreshFactor('webauthn')
  useEffect(() => {
    const gone = new AbortController()
    call('me.otp.begin', { signal: gone.signal }).then(
      ({ CALLINFO: { otpdevice, uri, secret } }) => setBegun({ id: otpdevice.id, uri, secret }),
      (refusal: unknown) => gone.signal.aborted || setError(refusal),
    )
    return () => gone.abort()
  }, [])

  async function activate(signal: AbortSignal): Promise<boolean> {
    if (begun === undefined) return false
    const body = { code: typedCode(typed), ...(await factor.show(signal)) }
    setTyped('')
    await call('me.otp.activate', { params: { deviceid: begun.id }, body, signal })
    await onDone()
    return true
  }
  return (
    <FormDialog title={words.addApp} submitText={words.finish} onSubmit={activate} onClose={onClose}>
      {error !== undefined && <ErrorMessage error={error} />}
      {begun === undefined ? (
        error === undefined && <Loading />
      ) : (
        <>
          <p className="soft">{words.scan}</p>
          <QrPicture text={begun.uri} label={words.qrCode} />
          <p className="seed">
            {words.key}: <code>{begun.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
          </p>
        </>
      )}
      <TextInput
        name="code"
        label={words.newCode}
        description={words.newCodeHelp}
        value={typed}
        onChange={setTyped}
        kind="code"
        inputMode="numeric"
        autoComplete="off"
        isRequired
      />
      {factor.input}
    </FormDialog>
  )
}
