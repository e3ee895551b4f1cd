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

/** Criteria of the interface for audit records. Absent ones do not restrict. */
export type Criteria = Readonly<Partial<Record<CriterionName, string>>>
type CriterionName = (typeof names)[number]
const names = ['since', 'until', 'user', 'vaultid', 'key', 'subject', 'operation', 'outcome'] as const

interface Props {
  readonly onApply: (criteria: Criteria) => void
}

/** A form with the criteria for the shown records. */
export function AuditCriteria({ onApply }: Props) {
  const words = useWordsOf(auditWords)
  const { data } = useVaults()
  const [generation, setGeneration] = useState(0)
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
  const name = { kind: 'name', autoComplete: 'off' } as const
  return (
    <details className="criteria card">
      <summary>{words.filters}</summary>
      <Form key={generation} className="form" aria-label={words.filters} onSubmit={submit}>
        <TextInput name="since" label={words.since} type="datetime-local" />
        <TextInput name="until" label={words.until} type="datetime-local" />
        <TextInput {...name} name="user" label={words.user} maxLength={128} />
        <LongSelect
          name="vaultid"
          label={words.vault}
          defaultValue=""
          options={[{ value: '', text: words.anyVault }, ...vaults]}
        />
        <TextInput {...name} name="key" label={words.key} maxLength={256} />
        <TextInput {...name} name="subject" label={words.subject} description={words.subjectHelp} maxLength={256} />
        <TextInput
          {...name}
          name="operation"
          label={words.operation}
          description={words.operationHelp}
          maxLength={64}
        />
        <SelectInput name="outcome" label={words.outcome} defaultValue="" options={outcomes} />
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

/** The criteria of the form. Times are typed in local time and sent in UTC. */
function criteriaOf(form: FormData): Criteria {
  const criteria: { -readonly [name in CriterionName]?: string } = {}
  for (const name of names) {
    const given = form.get(name)
    const text = typeof given === 'string' ? given.trim() : ''
    if (text !== '') criteria[name] = name === 'since' || name === 'until' ? new Date(text).toISOString() : text
  }
  return criteria
}
