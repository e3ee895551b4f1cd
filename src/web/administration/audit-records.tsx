import type { TrailItem } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { auditWords } from './audit-words.ts'
import { MomentText } from '../controls/moment-text.tsx'

interface Props {
  readonly records: readonly TrailItem[]
  readonly hasMore: boolean
}

/** A table of audit records. */
export function AuditRecords({ records, hasMore }: Props) {
  const words = useWordsOf(auditWords)
  if (records.length === 0)
    return (
      <p className="soft" role="status">
        {words.nothing} {hasMore && words.nothingYet}
      </p>
    )
  return (
    <ol className="entries records">
      {records.map((record) => (
        <li key={`${record.chain} ${record.seq}`}>
          <RecordEntry record={record} />
        </li>
      ))}
    </ol>
  )
}

function RecordEntry({ record }: { readonly record: TrailItem }) {
  const words = useWordsOf(auditWords)
  const { at, chain, seq, operation, outcome, requestid, username, userid, address, count } = record
  const isRefused = outcome !== 'allowed' && outcome !== 'noted'
  const known = outcome === 'allowed' || outcome === 'noted' ? words.outcomes[outcome] : undefined
  return (
    <details>
      <summary>
        <span className="when">
          <MomentText at={at} withSeconds />
        </span>
        <span className="texts">
          <span className="title">
            <code>{operation}</code>
            {count !== undefined && ` · ${words.times(count)}`}
          </span>
          <span className="soft">{[username ?? words.appliance, ...aboutOf(record, words)].join(' · ')}</span>
        </span>
        <span className={isRefused ? 'right locked' : 'right'}>{known ?? <code>{outcome}</code>}</span>
      </summary>
      <dl className="fields">
        <Detail name={words.who} value={[username, userid && `(${userid})`].filter(Boolean).join(' ')} />
        <Detail name={words.address} value={address} />
        <Detail name={words.about} value={aboutOf(record, words).join(' · ')} />
        <Detail name={words.result} value={outcome} />
        <Detail name={words.chain} value={`${chain} ${seq}`} />
        <Detail name={words.request} value={requestid} />
      </dl>
    </details>
  )
}

function aboutOf({ vaultid, key, version, subject }: TrailItem, words: (typeof auditWords)['en']): string[] {
  return [
    ...(vaultid === undefined ? [] : [words.inVault(vaultid)]),
    ...(key === undefined ? [] : [words.ofKey(version === undefined ? key : `${key} v${version}`)]),
    ...(subject === undefined ? [] : [subject]),
  ]
}

function Detail({ name, value }: { readonly name: string; readonly value: string | undefined }) {
  if (value === undefined || value === '') return null
  return (
    <div>
      <dt>{name}</dt>
      <dd className="value">{value}</dd>
    </div>
  )
}
