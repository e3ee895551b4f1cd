import { useLocation } from 'wouter'
import { FormDialog } from '../controls/form-dialog.tsx'
import { TypingForm } from '../controls/kept-typing.ts'
import { TextInput } from '../controls/text-input.tsx'
import { call, type ServiceAccount } from '../interface/calls.ts'
import { useOwnCapability } from '../session/own-capability.ts'
import { useTypedState } from '../session/typed-state.ts'
import { useWordsOf } from '../words/language.tsx'
import { administrationWords } from './administration-words.ts'
import { changedOf, typedOf, type TypedService } from './service-form.ts'
import { useServicesDone } from './service-reads.ts'
import { serviceWords } from './service-words.ts'

interface Props {
  /** The account to be changed; absent to create one. */
  readonly service?: ServiceAccount
  readonly onClose: () => void
}

interface Editing {
  /** The account at the opening of the dialog: another administrator may change it meanwhile. */
  readonly before: TypedService
  readonly typed: TypedService
}

export const serviceTyping = new TypingForm<Editing>()

/** The properties of an account, without its credentials. */
export function ServiceDialog({ service, onClose }: Props) {
  const words = useWordsOf(serviceWords)
  const { save, edit } = useWordsOf(administrationWords)
  const isAdministrator = useOwnCapability('admin')
  const [, go] = useLocation()
  const done = useServicesDone()
  const now = typedOf(service)
  const [{ before, typed }, setEditing] = useTypedState(serviceTyping, service?.id ?? '', { before: now, typed: now })
  const text = (name: keyof typeof typed) => ({
    value: typed[name],
    onChange: (value: string) => setEditing({ before, typed: { ...typed, [name]: value } }),
    autoComplete: 'off',
  })

  async function send(signal: AbortSignal): Promise<void> {
    const changed = changedOf(typed, before)
    if (service === undefined) {
      const name = typed.name.trim()
      const { CALLINFO } = await call('service.create', { body: { name, ...changed }, signal })
      await done(words.created(name))
      go(`/administration/services/${CALLINFO.service.id}`)
      return
    }
    if (Object.keys(changed).length === 0) return
    await call('service.change', { params: { serviceid: service.id }, body: changed, signal })
    await done(words.saved)
  }
  const isNew = service === undefined
  return (
    <FormDialog
      title={isNew ? words.newService : `${edit}: ${service.name}`}
      submitText={isNew ? words.create : save}
      onSubmit={send}
      onClose={onClose}
    >
      {isNew && (
        <TextInput {...text('name')} label={words.name} description={words.nameHelp} kind="name" isRequired autoFocus />
      )}
      <TextInput {...text('description')} label={words.description} maxLength={128} />
      {isAdministrator && (
        <TextInput
          {...text('owner')}
          label={words.owner}
          description={isNew ? `${words.ownerHelp} ${words.ownerIfEmpty}` : words.ownerHelp}
          isRequired={!isNew}
          kind="name"
          inputMode="numeric"
        />
      )}
      <TextInput
        {...text('addresses')}
        label={words.addresses}
        description={words.addressesHelp}
        kind="code"
        rows={3}
      />
      <TextInput {...text('expires')} label={words.expires} description={words.expiresHelp} type="datetime-local" />
    </FormDialog>
  )
}
