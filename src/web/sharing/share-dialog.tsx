import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Label } from 'react-aria-components/Label'
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup'
import { announce } from '../controls/announcement.tsx'
import { useDebounced } from '../controls/debounced.ts'
import { createFilter, FilterField } from '../controls/filter-field.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { Trouble } from '../controls/trouble.tsx'
import { call, type FoundPerson, type SharedVault, type VaultMember } from '../interface/calls.ts'
import { isId } from '../interface/row-id.ts'
import { useOwnCapability } from '../session/own-capability.ts'
import { useWordsOf } from '../words/spoken.tsx'
import { RightChoice, type Right } from './right-choice.tsx'
import { leastSearched, usePeople } from './sharing-reads.ts'
import { sharingWords } from './sharing-words.ts'

interface Props {
  readonly vault: SharedVault
  readonly members: readonly VaultMember[]
  readonly onClose: () => void
}

/** Finds a person, or takes the number of one, and lets them in. */
export function ShareDialog({ vault, members, onClose }: Props) {
  const words = useWordsOf(sharingWords)
  const queries = useQueryClient()
  const mayFind = [useOwnCapability('createVault'), useOwnCapability('admin')].includes(true)
  const [person, setPerson] = useState<FoundPerson>()
  const [number, setNumber] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  const [status, setStatus] = useState<Right>('1')

  async function share(signal: AbortSignal): Promise<boolean> {
    const userid = mayFind ? person?.id : number.trim()
    setIsMissing(!isId(userid))
    if (!isId(userid)) return false
    await call('vault.member.add', { params: { vaultid: vault.id, userid }, body: { status }, signal })
    announce(words.shared(person?.fullname ?? words.userNumber(userid)))
    await queries.invalidateQueries({ queryKey: ['members', vault.id] })
    return true
  }
  return (
    <FormDialog title={words.shareTitle(vault.groupname)} submitText={words.share} onSubmit={share} onClose={onClose}>
      {mayFind ? (
        <>
          <PersonSearch members={members} chosen={person} onChoose={setPerson} />
          {isMissing && person === undefined && (
            <p className="wrong" role="alert">
              {words.choosePerson}
            </p>
          )}
        </>
      ) : (
        <>
          <p>{words.mayNotFind}</p>
          <TextInput
            label={words.numberOfUser}
            description={words.numberHelp}
            error={isMissing && !isId(number.trim()) ? words.badNumber : undefined}
            kind="name"
            inputMode="numeric"
            autoComplete="off"
            isRequired
            value={number}
            onChange={setNumber}
          />
        </>
      )}
      <RightChoice value={status} onChange={setStatus} />
    </FormDialog>
  )
}

/** How many are offered at once. */
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
    return (data ?? []).filter(({ id, ...person }) => !isMember.has(id) && fits(textOf(person)))
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
      {error && <Trouble error={error} onTryAgain={() => void refetch()} />}
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
          : data && found.length === 0
            ? words.nobodyFound
            : found.length > offered.length
              ? words.moreFound(found.length - offered.length)
              : ''}
      </p>
    </div>
  )
}

/** What the interface searches through, of what it shows. */
const textOf = (person: Omit<FoundPerson, 'id'>): string =>
  [person.fullname, person.email, 'username' in person ? person.username : ''].join('\n').toLowerCase()
