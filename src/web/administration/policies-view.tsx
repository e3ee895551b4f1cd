import { ListChecks } from 'lucide-react'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { Loading } from '../controls/loading.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import type { PasswordPolicy } from '../interface/calls.ts'
import { usePolicies } from '../vaults/vault-reads.ts'
import { useWordsOf } from '../words/language.tsx'
import { administrationWords } from './administration-words.ts'
import { policyWords } from './policy-words.ts'

/** The password policies of the appliance. */
export function PoliciesView() {
  const words = useWordsOf(policyWords)
  const { parts } = useWordsOf(administrationWords)
  const { data, error, refetch } = usePolicies()
  if (error) return <NotLoaded error={error} onTryAgain={refetch} />
  if (!data) return <Loading />
  return (
    <div className="page administered">
      <ViewHeading title={parts.policies} introduction={words.introduction} />
      <ul className="entries">
        {data.map((policy) => (
          <PolicyEntry key={policy.id} policy={policy} />
        ))}
      </ul>
    </div>
  )
}

function PolicyEntry({ policy: { id, name, rules } }: { readonly policy: PasswordPolicy }) {
  const words = useWordsOf(policyWords)
  return (
    <li className="entry">
      <span className="tile">
        <ListChecks aria-hidden />
      </span>
      <span className="texts">
        <span className="title">{name}</span>
        <span className="soft">
          {Object.entries(rules)
            .map(([rule, value]) => words.rule(rule, value))
            .join(' · ') || words.anything}
        </span>
      </span>
      <span className="right">{words.number(id)}</span>
    </li>
  )
}
