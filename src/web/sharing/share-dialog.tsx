import { useMemo, useState } from 'react'
import { Label } from 'react-aria-components/Label'
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup'
import { useDone } from '../controls/change-done.ts'
import { Choice } from '../controls/choice.tsx'
import { useDebounced } from '../controls/debounced.ts'
import { createFilter, FilterField } from '../controls/filter-field.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { TypingForm } from '../controls/kept-typing.ts'
import { ErrorMessage } from '../controls/error-message.tsx'
import { call, type FoundPerson, type SharedVault, type VaultMember } from '../interface/calls.ts'
import { isId } from '../interface/identifiers.ts'
import { useOwnCapability } from '../session/own-capability.ts'
import { useTypedState } from '../session/typed-state.ts'
import { useWordsOf } from '../words/language.tsx'
import { bodyOf, GivenFields, givenTo, type Given } from './given-right.tsx'
import { NumberInput } from './number-input.tsx'
import { ServiceChoice, type ChosenService } from './service-choice.tsx'
import { leastSearched, usePeople } from './sharing-reads.ts'
import { sharingWords } from './sharing-words.ts'

interface Props {
  readonly vault: SharedVault
  readonly members: readonly VaultMember[]
  readonly onClose: () => void
}

interface Typed {
  readonly kind: 'person' | 'service'
  /** What was typed into the search for people. */
  readonly search: string
  readonly person?: FoundPerson | undefined
  /** Id of a user, from those who may not find people. */
  readonly number: string
  readonly service?: ChosenService
  readonly given: Given
}

const nobody: Typed = { kind: 'person', search: '', number: '', given: givenTo() }
export const shareTyping = new TypingForm<Typed>()

/** Finds a person or a service account, or takes the id of one, and makes it a member. */
export function ShareDialog({ vault, members, onClose }: Props) {
  const words = useWordsOf(sharingWords)
  const done = useDone(['members', vault.id])
  const mayFind = [useOwnCapability('createVault'), useOwnCapability('admin')].includes(true)
  const [typed, setTyped] = useTypedState(shareTyping, vault.id, nobody)
  const { kind, person, number, service } = typed
  const [isChecked, setIsChecked] = useState(false)
  /** Before another kind is chosen: from then on the focus stays in that choice. */
  const [isNew, setIsNew] = useState(true)
  const isService = kind === 'service'
  const given = isService ? { ...typed.given, right: 'some' as const } : typed.given
  const onType = (change: Partial<Typed>): void => setTyped({ ...typed, ...change })

  async function share(signal: AbortSignal): Promise<boolean> {
    const userid = (isService ? service?.id : mayFind ? person?.id : number)?.trim()
    const body = bodyOf(given)
    setIsChecked(true)
    if (!isId(userid) || body === undefined) return false
    await call('vault.member.add', { params: { vaultid: vault.id, userid }, body, signal })
    const name = isService ? service?.name : person?.fullname
    await done(words.shared(name ?? (isService ? words.serviceNumber(userid) : words.userNumber(userid))))
    return true
  }
  return (
    <FormDialog title={words.shareTitle(vault.groupname)} submitText={words.share} onSubmit={share} onClose={onClose}>
      <Choice
        label={words.shareWith}
        options={[
          { value: 'person', text: words.person },
          { value: 'service', text: words.application },
        ]}
        value={kind}
        onChange={(next) => {
          onType({ kind: next })
          setIsChecked(false)
          setIsNew(false)
        }}
      />
      <Recipient {...{ members, typed, onType, mayFind, isChecked, isNew }} />
      <GivenFields
        given={given}
        onChange={(next) => onType({ given: next })}
        isService={isService}
        isChecked={isChecked}
      />
    </FormDialog>
  )
}

interface RecipientProps {
  readonly members: readonly VaultMember[]
  readonly typed: Typed
  readonly onType: (change: Partial<Typed>) => void
  readonly mayFind: boolean
  readonly isChecked: boolean
  /** Whether the dialog has just opened. */
  readonly isNew: boolean
}

/** The choice of the person or service account. */
function Recipient({ members, typed, onType, mayFind, isChecked, isNew }: RecipientProps) {
  const words = useWordsOf(sharingWords)
  const { kind, search, person, number, service } = typed
  return kind === 'service' ? (
    <>
      <ServiceChoice
        members={members}
        chosen={service}
        onChoose={(next) => onType({ service: next })}
        isChecked={isChecked}
        autoFocus={isNew}
      />
      <p className="soft">{words.serviceHelp}</p>
    </>
  ) : mayFind ? (
    <>
      <PersonSearch members={members} text={search} chosen={person} onChange={onType} autoFocus={isNew} />
      {isChecked && person === undefined && (
        <p className="wrong" role="alert">
          {words.choosePerson}
        </p>
      )}
    </>
  ) : (
    <>
      <p>{words.mayNotFind}</p>
      <NumberInput
        label={words.numberOfUser}
        description={words.numberHelp}
        isChecked={isChecked}
        autoFocus={isNew}
        value={number}
        onChange={(next) => onType({ number: next })}
      />
    </>
  )
}

/** Number of people that the search offers. */
const mostOffered = 5

interface SearchProps {
  readonly members: readonly VaultMember[]
  readonly text: string
  readonly chosen: FoundPerson | undefined
  readonly onChange: (change: Pick<Typed, 'person'> & Partial<Pick<Typed, 'search'>>) => void
  readonly autoFocus: boolean
}

function PersonSearch({ members, text, chosen, onChange, autoFocus }: SearchProps) {
  const words = useWordsOf(sharingWords)
  const settled = useDebounced(text.trim())
  const { data, error, refetch } = usePeople(settled)
  const found = useMemo(() => {
    const isMember = new Set(members.map(({ id }) => id))
    const fits = createFilter(settled)
    return (data?.people ?? []).filter(({ id, ...person }) => !isMember.has(id) && fits(textOf(person)))
  }, [data, members, settled])
  const offered = found.slice(0, mostOffered)
  const isAsked = Array.from(settled).length >= leastSearched
  return (
    <div className="person-search">
      <FilterField
        label={words.findPerson}
        autoFocus={autoFocus}
        value={text}
        onChange={(next) => onChange({ search: next, person: undefined })}
      />
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
      {offered.length > 0 && (
        <RadioGroup
          className="people"
          value={chosen?.id ?? null}
          onChange={(id) => onChange({ person: offered.find((person) => person.id === id) })}
        >
          <Label className="unseen">{words.people}</Label>
          {offered.map(({ id, fullname, email }) => (
            <Radio key={id} value={id}>
              <span className="title">{fullname}</span>
              <span className="soft">{email}</span>
            </Radio>
          ))}
        </RadioGroup>
      )}
      <p className="soft" role="status">
        {!isAsked
          ? words.findMore
          : data?.isCutOff && (data.searched.length < settled.length || found.length === 0)
            ? words.cutOff(data.searched)
            : data && found.length === 0
              ? words.nobodyFound
              : found.length > offered.length
                ? words.moreFound(found.length - offered.length)
                : ''}
      </p>
    </div>
  )
}

/** The shown members in which the interface searches. */
const textOf = (person: Omit<FoundPerson, 'id'>): string =>
  [person.fullname, person.email, 'username' in person ? person.username : ''].join('\n').toLowerCase()
