import { useListedTemplates } from '../vaults/vault-reads.ts'
import { useWordsOf } from '../words/language.tsx'
import { exchangeWords } from './exchange-words.ts'
import type { PlannedObject } from './planned-object.ts'

interface Props {
  readonly plans: readonly PlannedObject[]
  readonly duplicates: ReadonlySet<PlannedObject>
}

/** Longer previews are not read. */
const mostShown = 50

/** The first entries of a file: what each becomes, and which of its fields are encrypted. No secret is shown. */
export function PlanTable({ plans, duplicates }: Props) {
  const words = useWordsOf(exchangeWords)
  const { data } = useListedTemplates()
  const templates = new Map((data ?? []).map(({ INFO }) => [INFO.id, INFO.name]))
  if (plans.length === 0) return null
  return (
    // In the tab order, so that the keyboard can scroll the table.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="plans" role="region" aria-label={words.preview} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.name}</th>
            <th scope="col">{words.folder}</th>
            <th scope="col">{words.kind}</th>
            <th scope="col">{words.fields}</th>
          </tr>
        </thead>
        <tbody>
          {plans.slice(0, mostShown).map((plan) => (
            <tr key={plan.key}>
              <th scope="row">
                {plan.name} {duplicates.has(plan) && <span className="soft">({words.duplicate})</span>}
              </th>
              <td>{plan.entry.folders.join(' / ')}</td>
              <td>{templates.get(plan.templateid) ?? ''}</td>
              <td>
                {Object.keys(plan.fields)
                  .map((field) => (plan.secret.includes(field) ? `${field} (${words.encrypted})` : field))
                  .join(', ')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {plans.length > mostShown && <p className="soft">{words.andMore(plans.length - mostShown)}</p>}
    </div>
  )
}
