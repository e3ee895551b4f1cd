import { useState } from 'react'
import { FormDialog } from '../controls/form-dialog.tsx'
import { SelectInput } from '../controls/select-input.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { call, type CredentialBody, type ServiceAccount } from '../interface/calls.ts'
import { useSession } from '../session/session.tsx'
import { useWordsOf } from '../words/language.tsx'
import type { OnceTold } from './once-shown.tsx'
import { claimsOf, utcTimeOf } from './service-form.ts'
import { useServicesDone } from './service-reads.ts'
import { serviceWords } from './service-words.ts'

type Kind = CredentialBody['kind']
const kinds: readonly Kind[] = ['certificate', 'ca', 'jwt', 'federated', 'static']
const nameTypes = ['dns', 'uri', 'email'] as const

interface Props {
  readonly service: ServiceAccount
  /** Called with the static key that the appliance has generated. */
  readonly onMade: (made: OnceTold) => void
  readonly onTold: (sentences: readonly string[]) => void
  readonly onClose: () => void
}

/** Adds a credential. The application can change over to it while the old one is still valid. */
export function CredentialDialog({ service, onMade, onTold, onClose }: Props) {
  const words = useWordsOf(serviceWords)
  const { person } = useSession()
  const done = useServicesDone()
  const [kind, setKind] = useState<Kind>('certificate')

  async function add(signal: AbortSignal, typed: (name: string) => string): Promise<void> {
    const params = { serviceid: service.id }
    const { CALLINFO } = await call('service.credential.add', { params, body: bodyOf(kind, typed), signal })
    onTold(CALLINFO.general)
    if (CALLINFO.key !== undefined)
      onMade({ title: words.staticKey, label: service.name, secret: CALLINFO.key, told: CALLINFO.general })
    await done(words.credentialAdded)
  }
  return (
    <FormDialog title={words.addCredential} submitText={words.addCredential} onSubmit={add} onClose={onClose}>
      <SelectInput
        name="kind"
        label={words.credentialKind}
        options={kinds.map((value) => ({ value, text: words.kinds[value] }))}
        defaultValue={kind}
        onChange={(chosen) => setKind(kinds.find((one) => one === chosen) ?? kind)}
      />
      <TextInput name="name" label={words.credentialName} kind="name" isRequired autoComplete="off" maxLength={64} />
      <KindFields key={kind} kind={kind} />
      <TextInput name="expires" label={words.expires} description={words.expiresHelp} type="datetime-local" />
      {person?.userid !== service.owner.id && <p className="recovery">{words.restNotice}</p>}
    </FormDialog>
  )
}

function KindFields({ kind }: { readonly kind: Kind }) {
  const words = useWordsOf(serviceWords)
  const pem = { name: 'certificate', kind: 'code', rows: 6, isRequired: true } as const
  if (kind === 'certificate') return <TextInput {...pem} label={words.pem} />
  if (kind === 'static') return <p className="soft">{words.staticHelp}</p>
  if (kind === 'jwt')
    return (
      <>
        <TextInput name="publickey" label={words.publicKey} kind="code" rows={6} isRequired />
        <TextInput name="kid" label={words.kid} description={words.kidHelp} kind="name" autoComplete="off" />
      </>
    )
  if (kind === 'federated')
    return (
      <>
        <TextInput name="issuer" label={words.issuer} description={words.issuerHelp} kind="name" isRequired />
        <TextInput name="claims" label={words.claims} description={words.claimsHelp} kind="code" rows={3} isRequired />
      </>
    )
  return (
    <>
      <TextInput {...pem} label={words.caPem} />
      <SelectInput
        name="san"
        label={words.san}
        options={nameTypes.map((type) => ({ value: type, text: type }))}
        defaultValue="dns"
      />
      <TextInput name="pattern" label={words.pattern} description={words.patternHelp} kind="name" isRequired />
    </>
  )
}

/** The body of the call: the typed values that this kind of credential has. */
function bodyOf(kind: Kind, text: (name: string) => string): CredentialBody {
  const known = { kind, name: text('name'), expires: utcTimeOf(text('expires')) }
  if (kind === 'certificate') return { ...known, certificate: text('certificate') }
  if (kind === 'jwt') return { ...known, publickey: text('publickey'), ...(text('kid') !== '' && { kid: text('kid') }) }
  if (kind === 'federated') return { ...known, issuer: text('issuer'), claims: claimsOf(text('claims')) }
  if (kind === 'static') return known
  const type = nameTypes.find((one) => one === text('san')) ?? 'dns'
  return { ...known, certificate: text('certificate'), san: { type, pattern: text('pattern') } }
}
