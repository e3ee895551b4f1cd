import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useListText } from '../controls/list-state.ts'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import { call } from '../interface/calls.ts'
import { hasStatus, isDenial } from '../interface/refusal.ts'
import { useWordsOf } from '../words/language.tsx'
import { administrationWords } from './administration-words.ts'
import { AuditCriteria, queryOf, type Criteria } from './audit-criteria.tsx'
import { AuditRecords } from './audit-records.tsx'
import { auditWords } from './audit-words.ts'
import { CheckOption } from './check-option.tsx'
import { Pager, usePages } from '../controls/pager.tsx'

const pageSize = '50'
const followMs = 5_000

/** The audit trail, in pages or live. */
export function AuditView() {
  const words = useWordsOf(auditWords)
  const { parts } = useWordsOf(administrationWords)
  const pages = usePages('pages')
  const [kept, keep] = useListText('criteria')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this view has written it
  const criteria = JSON.parse(kept || '{}') as Criteria
  const [isFollowing, setIsFollowing] = useState(false)
  const follows = isFollowing && pages.number === 1
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: ['audit', criteria, pages.next],
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: follows && followMs,
    queryFn: ({ signal }) =>
      call('audit.list', {
        query: { ...queryOf(criteria), limit: pageSize, ...(pages.next !== undefined && { next: pages.next }) },
        signal,
      }),
  })
  // The person may not read the trail at all. A refused vault has another status.
  if (hasStatus(error, 403)) return <NotLoaded error={error} onTryAgain={refetch} />
  const isShown = data !== undefined && !isDenial(error)
  return (
    <div className="page administered audit">
      <ViewHeading title={parts.audit} />
      <p className="soft">
        {words.introduction} {data?.CALLINFO.machine && words.machine(data.CALLINFO.machine)}
      </p>
      <AuditCriteria
        applied={criteria}
        onApply={(next) => {
          keep(JSON.stringify(next))
          pages.goFirst()
        }}
      />
      <CheckOption
        isSelected={isFollowing}
        onChange={(next) => {
          setIsFollowing(next)
          if (next) pages.goFirst()
        }}
        {...(follows && { description: words.following })}
      >
        {words.follow}
      </CheckOption>
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
      {data === undefined && !error && <Loading />}
      {isShown && (
        <>
          <AuditRecords records={data.RECORDS} hasMore={data.CALLINFO.next !== undefined} />
          <Pager pages={pages} following={data.CALLINFO.next} isTurning={isPlaceholderData} />
        </>
      )}
    </div>
  )
}
