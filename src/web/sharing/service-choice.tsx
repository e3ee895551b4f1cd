import { LongSelect } from '../controls/long-select.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { useServices } from '../administration/service-reads.ts'
import type { VaultMember } from '../interface/calls.ts'
import { nameOrder } from '../words/name-order.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { NumberInput } from './number-input.tsx'
import { sharingWords } from './sharing-words.ts'

/** A service account. `name` is known only for one that was found in the list. */
export interface ChosenService {
  readonly id: string
  readonly name?: string
}

interface Props {
  readonly members: readonly VaultMember[]
  readonly chosen: ChosenService | undefined
  readonly onChoose: (service: ChosenService) => void
  readonly isChecked: boolean
  readonly autoFocus: boolean
}

const byNumber = 'number'

/**
 * The choice of a service account: a listed one (owned by the person; all for administrators), or any other by its id.
 */
export function ServiceChoice({ members, chosen, onChoose, isChecked, autoFocus }: Props) {
  const words = useWordsOf(sharingWords)
  const { locale } = useWords()
  const { data, error, refetch } = useServices()
  if (error) return <ErrorMessage error={error} onTryAgain={refetch} />
  if (!data) return <Loading />
  const isMember = new Set(members.map(({ id }) => id))
  const compare = nameOrder(locale)
  const offered = data
    .filter(({ id, active }) => active && !isMember.has(id))
    .toSorted((a, b) => compare(a.name, b.name))
  const isByNumber = offered.length === 0 || (chosen !== undefined && chosen.name === undefined)
  return (
    <>
      {offered.length > 0 && (
        <LongSelect
          label={words.service}
          name="service"
          autoFocus={autoFocus}
          defaultValue={isByNumber ? byNumber : (chosen?.id ?? '')}
          options={[
            { value: '', text: words.chooseOne },
            ...offered.map(({ id, name, description }) => ({
              value: id,
              text: description === '' ? name : `${name} – ${description}`,
            })),
            { value: byNumber, text: words.otherService },
          ]}
          onChange={(value) => {
            const found = offered.find(({ id }) => id === value)
            onChoose(found ? { id: value, name: found.name } : value === byNumber ? { id: '' } : { id: '', name: '' })
          }}
        />
      )}
      {isByNumber ? (
        <NumberInput
          label={words.numberOfService}
          description={words.serviceNumberHelp}
          isChecked={isChecked}
          autoFocus={autoFocus && offered.length === 0}
          value={chosen?.id ?? ''}
          onChange={(id) => onChoose({ id })}
        />
      ) : (
        isChecked &&
        (chosen?.id ?? '') === '' && (
          <p className="wrong" role="alert">
            {words.chooseService}
          </p>
        )
      )}
    </>
  )
}
