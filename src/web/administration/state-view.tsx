import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleX, RefreshCw, TriangleAlert } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { Loading } from '../controls/loading.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import { call, type ReadState } from '../interface/calls.ts'
import { en as englishWords } from '../words/en.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { administrationWords } from './administration-words.ts'
import { MomentText } from '../controls/moment-text.tsx'
import { toldOf } from './state-sentences.ts'
import { stateWords } from './state-words.ts'

/** The state of the appliance, as the daemon reports it. */
export function StateView() {
  const words = useWordsOf(stateWords)
  const { parts, onMachine } = useWordsOf(administrationWords)
  const { data, error, refetch } = useQuery({
    queryKey: ['appliance', 'state'],
    queryFn: async ({ signal }) => (await call('utils.state', { signal })).CALLINFO,
    staleTime: 0,
  })
  if (error) return <NotLoaded error={error} onTryAgain={refetch} />
  if (!data) return <Loading />
  return (
    <div className="page administered">
      <ViewHeading title={parts.state}>
        <Button className="button" onPress={() => void refetch()}>
          <RefreshCw aria-hidden />
          {words.lookAgain}
        </Button>
      </ViewHeading>
      <p className={`state-line ${data.state === 'ready' ? 'is-ok' : 'is-failed'}`} role="status">
        {data.state === 'ready' ? <CircleCheck aria-hidden /> : <CircleX aria-hidden />}
        {words.states[data.state]}
      </p>
      <p className="soft">
        {words.release} {data.version}
        {data.at !== undefined && (
          <>
            {' · '}
            {words.lookedAt} <MomentText at={data.at} withSeconds />
          </>
        )}
      </p>
      <Checks checks={data.checks} />
      <Warnings warnings={data.warnings} />
      <section className="on-machine">
        <p>{words.doctor}</p>
        <p className="soft">{onMachine}</p>
        <p>
          <code>strongroom doctor</code>
        </p>
      </section>
    </div>
  )
}

const icons = {
  ok: <CircleCheck aria-hidden />,
  warning: <TriangleAlert aria-hidden />,
  failed: <CircleX aria-hidden />,
} as const

function Checks({ checks }: Pick<ReadState, 'checks'>) {
  const words = useWordsOf(stateWords)
  if (checks.length === 0) return null
  return (
    <section aria-labelledby="checks">
      <h2 id="checks">{words.checks}</h2>
      <ul className="entries">
        {checks.map(({ name, state, detail }) => (
          <li key={name} className="entry">
            <span className={`sign is-${state}`}>{icons[state]}</span>
            <span className="texts">
              <span className="title">{words.checkNames[name] ?? name}</span>
              <Detail detail={detail} />
            </span>
            <span className="right">{words.checkStates[state]}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Detail({ detail }: { readonly detail: string }) {
  const { details } = useWordsOf(stateWords)
  const { locale } = useWords()
  const { text, lang } = toldOf(detail, details, locale)
  return (
    <span className="soft" lang={lang}>
      {text}
    </span>
  )
}

function Warnings({ warnings }: Pick<ReadState, 'warnings'>) {
  const words = useWordsOf(stateWords)
  // Their sentences are in English in each language, with the moments.
  const { locale } = englishWords
  return (
    <section aria-labelledby="warnings">
      <h2 id="warnings">{words.warnings}</h2>
      {warnings.length === 0 ? (
        <p className="soft">{words.noWarnings}</p>
      ) : (
        <ul className="entries">
          {warnings.map(({ name, state, detail, remedy }) => (
            <li key={name} className="entry">
              <span className={`sign is-${state === 'problem' ? 'failed' : 'warning'}`}>
                <TriangleAlert aria-hidden />
              </span>
              <span className="texts" lang="en">
                <span className="title">{toldOf(detail, [], locale).text}</span>
                <span className="soft">{remedy}</span>
              </span>
              <span className="right">{words.warningStates[state]}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
