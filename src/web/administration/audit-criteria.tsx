import { Search, X } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { Button } from 'react-aria-components/Button'
import { Form } from 'react-aria-components/Form'
import { LongSelect } from '../controls/long-select.tsx'
import { SelectInput } from '../controls/select-input.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { useVaults } from '../vaults/vault-reads.ts'
import { useWordsOf } from '../words/language.tsx'
import { auditWords } from './audit-words.ts'

/** What is typed into the form, with times in local time. Absent criteria do not restrict. */
export type Criteria = Readonly<Partial<Record<CriterionName, string>>>
type CriterionName = (typeof names)[number]
const names = ['since', 'until', 'user', 'vaultid', 'key', 'subject', 'operation', 'outcome'] as const

interface Props {
  /** The criteria of the shown records. */
  readonly applied: Criteria
  readonly onApply: (criteria: Criteria) => void
}

/** A form with the criteria for the shown records. */
export function AuditCriteria({ applied, onApply }: Props) {
  const words = useWordsOf(auditWords)
  const { data } = useVaults()
  const [generation, setGeneration] = useState(0)
  const [isOpen] = useState(Object.keys(applied).length > 0)
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    onApply(criteriaOf(new FormData(event.currentTarget)))
  }
  function clear(): void {
    setGeneration(generation + 1)
    onApply({})
  }
  const vaults = (data?.VAULTS ?? []).map(({ id, groupname }) => ({ value: id, text: groupname }))
  const outcomes = (['any', 'allowed', 'refused', 'noted'] as const).map((outcome) => ({
    value: outcome === 'any' ? '' : outcome,
    text: words.outcomes[outcome],
  }))
  const given = (name: CriterionName) => ({ name, defaultValue: applied[name] ?? '' })
  const literal = { kind: 'name', autoComplete: 'off' } as const
  return (
    <details className="criteria card" open={isOpen}>
      <summary>{words.filters}</summary>
      <Form key={generation} className="form" aria-label={words.filters} onSubmit={submit}>
        <TextInput {...given('since')} label={words.since} type="datetime-local" />
        <TextInput {...given('until')} label={words.until} type="datetime-local" />
        <TextInput {...given('user')} {...literal} label={words.user} maxLength={128} />
        <LongSelect
          {...given('vaultid')}
          label={words.vault}
          options={[{ value: '', text: words.anyVault }, ...vaults]}
        />
        <TextInput {...given('key')} {...literal} label={words.key} maxLength={256} />
        <TextInput
          {...given('subject')}
          {...literal}
          label={words.subject}
          description={words.subjectHelp}
          maxLength={256}
        />
        <TextInput
          {...given('operation')}
          {...literal}
          label={words.operation}
          description={words.operationHelp}
          maxLength={64}
        />
        <SelectInput {...given('outcome')} label={words.outcome} options={outcomes} />
        <div className="buttons">
          <Button className="button" onPress={clear}>
            <X aria-hidden />
            {words.clear}
          </Button>
          <Button type="submit" className="button primary">
            <Search aria-hidden />
            {words.apply}
          </Button>
        </div>
      </Form>
    </details>
  )
}

const utc = (time: string): string => new Date(time).toISOString()

/** The criteria as the interface takes them: times are typed in local time and sent in UTC. */
export function queryOf({ since, until, ...others }: Criteria): Criteria {
  return {
    ...others,
    ...(since !== undefined && { since: utc(since) }),
    ...(until !== undefined && { until: utc(until) }),
  }
}

function criteriaOf(form: FormData): Criteria {
  const criteria: { -readonly [name in CriterionName]?: string } = {}
  for (const name of names) {
    const given = form.get(name)
    const text = typeof given === 'string' ? given.trim() : ''
    if (text !== '') criteria[name] = text
  }
  return criteria
}
