import { useInfiniteQuery } from '@tanstack/react-query'
import { BellRing } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { Crumbs } from '../controls/crumbs.tsx'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import { call, type Field, type TrailItem } from '../interface/calls.ts'
import { hidesData } from '../interface/refusal.ts'
import { NotAllowed } from '../session/not-allowed.tsx'
import { useOwnCapability } from '../session/own-capability.ts'
import { useObject, useVault } from '../vaults/vault-reads.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { callsOf, type TrailCall } from './seen-calls.ts'
import { trailWords } from './trail-words.ts'
import './trail.css'

/**
 * Each page of the answer covers a part of the trail and may be empty. So many are read at once until one has records.
 */
const pagesAtOnce = 4
const mostRecords = '100'

interface TrailPage {
  readonly records: readonly TrailItem[]
  readonly next: string | undefined
  readonly machine: string
}

const useTrail = (objectid: string) =>
  useInfiniteQuery({
    queryKey: ['trail', objectid],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => readTrail(objectid, pageParam, signal),
    getNextPageParam: ({ next }) => next,
    // The trail must be current.
    staleTime: 0,
  })

async function readTrail(objectid: string, from: string, signal: AbortSignal, pages = 1): Promise<TrailPage> {
  const query = { subject: `object ${objectid}`, limit: mostRecords, ...(from !== '' && { next: from }) }
  const { CALLINFO, RECORDS } = await call('audit.list', { query, signal })
  const { next, machine } = CALLINFO ?? { machine: '' }
  if (RECORDS.length > 0 || next === undefined || pages === pagesAtOnce) return { records: RECORDS, next, machine }
  return readTrail(objectid, next, signal, pages + 1)
}

interface Props {
  readonly objectid: string
}

/** The audit records of an object, for those who may read them. */
export function ObjectTrailView({ objectid }: Props) {
  return useOwnCapability('audit') ? <Trail objectid={objectid} /> : <NotAllowed />
}

function Trail({ objectid }: Props) {
  const words = useWordsOf(trailWords)
  const object = useObject(objectid)
  const trail = useTrail(objectid)
  const [shown] = object.data?.OBJECT ?? []
  const { vault } = useVault(shown?.groupid)
  const failed = [object, trail].find(({ error, data }) => hidesData(error, data))
  if (failed)
    return <NotLoaded error={failed.error} onTryAgain={() => Promise.all([object.refetch(), trail.refetch()])} />
  if (!object.data || !shown || !trail.data) return <Loading />
  const { pages } = trail.data
  const machine = pages[0]?.machine ?? ''
  const calls = callsOf(pages.flatMap(({ records }) => records))
  const template = object.data.TEMPLATES.find(({ id }) => id === shown.templateid)
  const path = [
    { href: `#/vault/${shown.groupid}`, text: vault?.groupname ?? '…' },
    { href: `#/object/${objectid}`, text: shown.objectname },
  ]
  return (
    <div className="page">
      <Crumbs path={path} />
      <ViewHeading title={words.title(shown.objectname)} kind={words.kind} />
      <p className="soft">{words.introduction}</p>
      {machine !== '' && <p className="soft">{words.ofMachine(machine)}</p>}
      {calls.length === 0 ? (
        <p className="soft trail-end">{words.nothing}</p>
      ) : (
        <TrailTable calls={calls} fields={template?.structure ?? []} />
      )}
      {trail.error && <ErrorMessage error={trail.error} />}
      <div className="trail-end">
        {trail.hasNextPage ? (
          <Button className="button" onPress={() => void trail.fetchNextPage()}>
            {words.further}
          </Button>
        ) : (
          <p className="soft">{words.lookedBack}</p>
        )}
      </div>
    </div>
  )
}

interface TableProps {
  readonly calls: readonly TrailCall[]
  readonly fields: readonly Field[]
}

function TrailTable({ calls, fields }: TableProps) {
  const words = useWordsOf(trailWords)
  const { locale } = useWords()
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
  return (
    <table className="trail card">
      <thead>
        <tr>
          <th scope="col">{words.when}</th>
          <th scope="col">{words.who}</th>
          <th scope="col">{words.what}</th>
          <th scope="col">{words.from}</th>
        </tr>
      </thead>
      <tbody>
        {calls.map((one) => (
          <tr key={one.id}>
            <td>
              <time dateTime={one.at}>{moment.format(new Date(one.at))}</time>
            </td>
            <td>{one.username ?? (one.userid === undefined ? '' : words.userNumber(one.userid))}</td>
            <td>
              <Act call={one} fields={fields} />
            </td>
            <td className="soft">{one.address}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Act({
  call: { operation, secrets, isRefused, isAlarm },
  fields,
}: {
  readonly call: TrailCall
  readonly fields: readonly Field[]
}) {
  const words = useWordsOf(trailWords)
  function labelOf(what: string): string {
    if (what === 'its file') return words.itsFile
    const [, name = what, version] = /^(.+) of version (\d+)$/.exec(what) ?? []
    const label = fields.find(({ fieldname }) => fieldname === name)?.translation ?? name
    return version === undefined ? label : words.ofVersion(label, version)
  }
  const known = Object.entries(words.acts).find(([name]) => name === operation)?.[1]
  return (
    <>
      {secrets.length > 0 ? (
        words.secrets(secrets.map(labelOf).join(', '))
      ) : (
        <span lang={known === undefined ? 'en' : undefined}>{known ?? operation}</span>
      )}
      {isRefused && <span className="right">{words.refused}</span>}
      {isAlarm && (
        <span className="mark-alarm">
          <BellRing aria-hidden />
          {words.alarm}
        </span>
      )}
    </>
  )
}
