import { KeyRound, Smartphone } from 'lucide-react'
import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { useDone } from '../controls/change-done.ts'
import { FormDialog } from '../controls/form-dialog.tsx'
import { Loading } from '../controls/loading.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { momentWords } from '../controls/moment-text.tsx'
import { call, type OtpDevice } from '../interface/calls.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { AppEnrolment } from './app-enrolment.tsx'
import { useFreshFactor } from './fresh-factor.tsx'
import { ownDevicesKey, useOwnDevices } from './me-reads.ts'
import { meWords } from './me-words.ts'

type Open =
  { readonly kind: 'app' } | { readonly kind: 'token' } | { readonly kind: 'removal'; readonly device: OtpDevice }

interface Props {
  readonly userid: string
  readonly isOnHold: boolean
}

/** The person's devices for one-time passwords. Each change requires a second factor. */
export function DeviceSection({ userid, isOnHold }: Props) {
  const words = useWordsOf(meWords)
  const done = useDone(ownDevicesKey)
  const { data, error, refetch } = useOwnDevices(userid)
  const [open, setOpen] = useState<Open>()
  const close = (): void => setOpen(undefined)
  if (error && !data) return <ErrorMessage error={error} onTryAgain={refetch} />
  if (!data) return <Loading />
  const devices: readonly OtpDevice[] = data.CALLINFO.otpdevices
  return (
    <>
      <ul className="items">
        {devices.map((device) => (
          <DeviceItem key={device.id} device={device} onRemove={() => setOpen({ kind: 'removal', device })} />
        ))}
      </ul>
      <div className="buttons">
        <Button className="button" isDisabled={isOnHold} onPress={() => setOpen({ kind: 'app' })}>
          {words.addApp}
        </Button>
        <Button className="button" isDisabled={isOnHold} onPress={() => setOpen({ kind: 'token' })}>
          {words.addToken}
        </Button>
      </div>
      {open?.kind === 'app' && <AppEnrolment onDone={() => done(words.appAdded)} onClose={close} />}
      {open?.kind === 'token' && <TokenAdoption onDone={() => done(words.tokenAdded)} onClose={close} />}
      {open?.kind === 'removal' && (
        <DeviceRemoval device={open.device} onDone={() => done(words.removed)} onClose={close} />
      )}
    </>
  )
}

/** What a device is called, and by which words it is told from the others: only hardware tokens have an id. */
function useNamesOf({ kind, public_id: publicId, created }: OtpDevice) {
  const words = useWordsOf(meWords)
  const { locale } = useWords()
  const title = [words.kinds[kind] ?? kind, publicId].filter(Boolean).join(' ')
  const added = words.addedOn(momentWords(created, locale))
  return { title, added, name: publicId === undefined ? `${title}, ${added}` : title }
}

function DeviceItem({ device, onRemove }: { readonly device: OtpDevice; readonly onRemove: () => void }) {
  const words = useWordsOf(meWords)
  const { title, added, name } = useNamesOf(device)
  const { locale } = useWords()
  const { kind, used } = device
  return (
    <li>
      <span className="tile">{kind === 'hwkey_otp' ? <KeyRound aria-hidden /> : <Smartphone aria-hidden />}</span>
      <span className="texts">
        <span className="title">{title}</span>
        <span className="soft">
          {added}, {used === undefined ? words.neverUsed : words.usedOn(momentWords(used, locale))}
        </span>
      </span>
      <Button className="button small" aria-label={words.removeDevice(name)} onPress={onRemove}>
        {words.remove}
      </Button>
    </li>
  )
}

interface Change {
  readonly onDone: () => Promise<void>
  readonly onClose: () => void
}

function DeviceRemoval({ device, onDone, onClose }: Change & { readonly device: OtpDevice }) {
  const words = useWordsOf(meWords)
  const { name } = useNamesOf(device)
  const factor = useFreshFactor('webauthn')
  async function remove(signal: AbortSignal): Promise<void> {
    const body = await factor.show(signal)
    await call('me.otp.remove', { params: { deviceid: device.id }, body, signal })
    await onDone()
  }
  return (
    <FormDialog title={words.removeTitle} submitText={words.remove} isDangerous onSubmit={remove} onClose={onClose}>
      <p>{words.removeText(name)}</p>
      {factor.input}
    </FormDialog>
  )
}

function TokenAdoption({ onDone, onClose }: Change) {
  const words = useWordsOf(meWords)
  const [typed, setTyped] = useState('')
  const factor = useFreshFactor('webauthn')
  async function adopt(signal: AbortSignal): Promise<void> {
    const body = { tokenotp: typed.trim(), ...(await factor.show(signal)) }
    // A code is valid once.
    setTyped('')
    await call('me.otp.adopt', { body, signal })
    await onDone()
  }
  return (
    <FormDialog title={words.addToken} submitText={words.addToken} onSubmit={adopt} onClose={onClose}>
      <p className="soft">{words.tokenText}</p>
      {factor.input}
      <TextInput
        name="tokenotp"
        label={words.tokenOtp}
        value={typed}
        onChange={setTyped}
        kind="code"
        autoComplete="off"
        isRequired
      />
    </FormDialog>
  )
}
