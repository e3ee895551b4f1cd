import { useState } from 'react'
import { useLocation } from 'wouter'
import { announce } from '../controls/announcement.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { call, type ServiceAccount } from '../interface/calls.ts'
import { useWordsOf } from '../words/spoken.tsx'
import { administrationWords } from './administration-words.ts'
import { linesOf, localTimeOf, utcTimeOf } from './service-form.ts'
import { useServicesAnew } from './service-reads.ts'
import { serviceWords } from './service-words.ts'

interface Props {
  /** The account that is changed; without it a new one is made. */
  readonly service?: ServiceAccount
  readonly onClose: () => void
}

/** What an account is, but for its credentials. */
export function ServiceDialog({ service, onClose }: Props) {
  const words = useWordsOf(serviceWords)
  const { save, edit } = useWordsOf(administrationWords)
  const [, go] = useLocation()
  const readAnew = useServicesAnew()
  const [typed, setTyped] = useState({
    name: service?.name ?? '',
    description: service?.description ?? '',
    owner: service?.owner.id ?? '',
    addresses: service?.addresses.join('\n') ?? '',
    expires: service === undefined ? '' : localTimeOf(service.expires),
  })
  const text = (name: keyof typeof typed) => ({
    value: typed[name],
    onChange: (value: string) => setTyped({ ...typed, [name]: value }),
    autoComplete: 'off',
  })

  async function send(signal: AbortSignal): Promise<void> {
    const { name, description, owner } = typed
    const fields = { description, addresses: linesOf(typed.addresses), expires: utcTimeOf(typed.expires) }
    const given = { ...fields, ...(owner.trim() !== '' && { owner: owner.trim() }) }
    if (service === undefined) {
      const { CALLINFO } = await call('service.create', { body: { name: name.trim(), ...given }, signal })
      announce(words.created(name.trim()))
      await readAnew()
      go(`/administration/services/${CALLINFO.service.id}`)
      return
    }
    const changed = owner.trim() === service.owner.id ? fields : given
    await call('service.change', { params: { serviceid: service.id }, body: changed, signal })
    announce(words.saved)
    await readAnew()
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
      <TextInput {...text('owner')} label={words.owner} description={words.ownerHelp} kind="name" inputMode="numeric" />
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
