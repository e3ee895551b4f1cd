import { useMemo, useState } from 'react'
import { Label } from 'react-aria-components/Label'
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup'
import { useDone } from '../controls/change-done.ts'
import { Choice } from '../controls/choice.tsx'
import { useDebounced } from '../controls/debounced.ts'
import { createFilter, FilterField } from '../controls/filter-field.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { call, type FoundPerson, type SharedVault, type VaultMember } from '../interface/calls.ts'
import { isId } from '../interface/identifiers.ts'
import { useOwnCapability } from '../session/own-capability.ts'
import { useWordsOf } from '../words/language.tsx'
import { bodyOf, GivenFields, givenTo } from './given-right.tsx'
import { NumberInput } from './number-input.tsx'
import { ServiceChoice, type ChosenService } from './service-choice.tsx'
import { leastSearched, usePeople } from './sharing-reads.ts'
import { sharingWords } from './sharing-words.ts'

interface Props {
  readonly vault: SharedVault
  readonly members: readonly VaultMember[]
  readonly onClose: () => void
}

type Kind = 'person' | 'service'

/** Finds a person or a service account, or takes the id of one, and makes it a member. */
export function ShareDialog({ vault, members, onClose }: Props) {
  const words = useWordsOf(sharingWords)
  const done = useDone(['members', vault.id])
  const mayFind = [useOwnCapability('createVault'), useOwnCapability('admin')].includes(true)
  const [kind, setKind] = useState<Kind>('person')
  const [person, setPerson] = useState<FoundPerson>()
  const [number, setNumber] = useState('')
  const [service, setService] = useState<ChosenService>()
  const [isChecked, setIsChecked] = useState(false)
  const [chosen, setGiven] = useState(givenTo)
  const isService = kind === 'service'
  const given = isService ? { ...chosen, right: 'some' as const } : chosen

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
          setKind(next)
          setIsChecked(false)
        }}
      />
      {isService ? (
        <>
          <ServiceChoice members={members} chosen={service} onChoose={setService} isChecked={isChecked} />
          <p className="soft">{words.serviceHelp}</p>
        </>
      ) : mayFind ? (
        <>
          <PersonSearch members={members} chosen={person} onChoose={setPerson} />
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
            value={number}
            onChange={setNumber}
          />
        </>
      )}
      <GivenFields given={given} onChange={setGiven} isService={isService} isChecked={isChecked} />
    </FormDialog>
  )
}

/** Number of people that the search offers. */
const mostOffered = 5

interface SearchProps {
  readonly members: readonly VaultMember[]
  readonly chosen: FoundPerson | undefined
  readonly onChoose: (person: FoundPerson | undefined) => void
}

function PersonSearch({ members, chosen, onChoose }: SearchProps) {
  const words = useWordsOf(sharingWords)
  const [text, setText] = useState('')
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
        value={text}
        onChange={(next) => {
          setText(next)
          onChoose(undefined)
        }}
      />
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
      {offered.length > 0 && (
        <RadioGroup
          className="people"
          value={chosen?.id ?? null}
          onChange={(id) => onChoose(offered.find((person) => person.id === id))}
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
