import { FormDialog } from '../controls/form-dialog.tsx'
import { TypingForm } from '../controls/kept-typing.ts'
import { SelectInput } from '../controls/select-input.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { call, type CredentialBody, type ServiceAccount } from '../interface/calls.ts'
import { useSession } from '../session/session.tsx'
import { useTypedState } from '../session/typed-state.ts'
import { useWordsOf } from '../words/language.tsx'
import type { OnceTold } from './once-shown.tsx'
import { claimsOf, utcTimeOf } from './service-form.ts'
import { useServicesDone } from './service-reads.ts'
import { serviceWords } from './service-words.ts'

type Kind = CredentialBody['kind']
const kinds: readonly Kind[] = ['certificate', 'ca', 'jwt', 'federated', 'static']
const nameTypes = ['dns', 'uri', 'email'] as const

/** The typed texts of all kinds of credential. */
const nothing = {
  kind: 'certificate' as Kind,
  name: '',
  expires: '',
  certificate: '',
  publickey: '',
  kid: '',
  issuer: '',
  claims: '',
  san: 'dns',
  pattern: '',
}
type Typed = typeof nothing
type FieldOf = (name: Exclude<keyof Typed, 'kind'>) => {
  readonly value: string
  readonly onChange: (value: string) => void
}
export const credentialTyping = new TypingForm<Typed>()

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
  const [typed, setTyped] = useTypedState(credentialTyping, service.id, nothing)
  const { kind } = typed
  const field: FieldOf = (name) => ({ value: typed[name], onChange: (value) => setTyped({ ...typed, [name]: value }) })

  async function add(signal: AbortSignal): Promise<void> {
    const params = { serviceid: service.id }
    const { CALLINFO } = await call('service.credential.add', { params, body: bodyOf(typed), signal })
    onTold(CALLINFO.general)
    if (CALLINFO.key !== undefined)
      onMade({ title: words.staticKey, label: service.name, secret: CALLINFO.key, told: CALLINFO.general })
    await done(words.credentialAdded)
  }
  return (
    <FormDialog title={words.addCredential} submitText={words.addCredential} onSubmit={add} onClose={onClose}>
      <SelectInput
        label={words.credentialKind}
        options={kinds.map((value) => ({ value, text: words.kinds[value] }))}
        value={kind}
        onChange={(chosen) => setTyped({ ...typed, kind: kinds.find((one) => one === chosen) ?? kind })}
      />
      <TextInput
        {...field('name')}
        label={words.credentialName}
        kind="name"
        isRequired
        autoComplete="off"
        maxLength={64}
      />
      <KindFields key={kind} kind={kind} field={field} />
      <TextInput {...field('expires')} label={words.expires} description={words.expiresHelp} type="datetime-local" />
      {person?.userid !== service.owner.id && <p className="recovery">{words.restNotice}</p>}
    </FormDialog>
  )
}

function KindFields({ kind, field }: { readonly kind: Kind; readonly field: FieldOf }) {
  const words = useWordsOf(serviceWords)
  const code = { kind: 'code', isRequired: true } as const
  if (kind === 'certificate') return <TextInput {...code} {...field('certificate')} label={words.pem} rows={6} />
  if (kind === 'static') return <p className="soft">{words.staticHelp}</p>
  if (kind === 'jwt')
    return (
      <>
        <TextInput {...code} {...field('publickey')} label={words.publicKey} rows={6} />
        <TextInput {...field('kid')} label={words.kid} description={words.kidHelp} kind="name" autoComplete="off" />
      </>
    )
  if (kind === 'federated')
    return (
      <>
        <TextInput {...field('issuer')} label={words.issuer} description={words.issuerHelp} kind="name" isRequired />
        <TextInput {...code} {...field('claims')} label={words.claims} description={words.claimsHelp} rows={3} />
      </>
    )
  return (
    <>
      <TextInput {...code} {...field('certificate')} label={words.caPem} rows={6} />
      <SelectInput
        {...field('san')}
        label={words.san}
        options={nameTypes.map((type) => ({ value: type, text: type }))}
      />
      <TextInput {...field('pattern')} label={words.pattern} description={words.patternHelp} kind="name" isRequired />
    </>
  )
}

/** The body of the call: the typed values that this kind of credential has. */
function bodyOf({ kind, san, ...typed }: Typed): CredentialBody {
  const text = (name: keyof typeof typed): string => typed[name].trim()
  const known = { kind, name: text('name'), expires: utcTimeOf(text('expires')) }
  if (kind === 'certificate') return { ...known, certificate: text('certificate') }
  if (kind === 'jwt') return { ...known, publickey: text('publickey'), ...(text('kid') !== '' && { kid: text('kid') }) }
  if (kind === 'federated') return { ...known, issuer: text('issuer'), claims: claimsOf(text('claims')) }
  if (kind === 'static') return known
  const type = nameTypes.find((one) => one === san) ?? 'dns'
  return { ...known, certificate: text('certificate'), san: { type, pattern: text('pattern') } }
}
