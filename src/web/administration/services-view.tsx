import { Bot, ChevronRight, Plus } from 'lucide-react'
import { useDeferredValue, useMemo } from 'react'
import { Button } from 'react-aria-components/Button'
import { createFilter, FilterField } from '../controls/filter-field.tsx'
import { useListText } from '../controls/list-state.ts'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { usePagedItems } from '../controls/paged-items.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import type { ServiceAccount } from '../interface/calls.ts'
import { hidesData } from '../interface/refusal.ts'
import { useOpened } from '../session/typed-state.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { administrationWords } from './administration-words.ts'
import { MachineCommands } from './machine-commands.tsx'
import { ServiceDialog, serviceTyping } from './service-dialog.tsx'
import { useServices } from './service-reads.ts'
import { serviceWords } from './service-words.ts'

/** The service accounts, and the operator's commands for applications. */
export function ServicesView() {
  const words = useWordsOf(serviceWords)
  const { parts } = useWordsOf(administrationWords)
  const { filter: filterText, nothingFits } = useWords()
  const { data, error, refetch } = useServices()
  const [filter, setFilter] = useListText('filter')
  const deferred = useDeferredValue(filter)
  const [isCreating, setIsCreating] = useOpened<boolean>(() => [[true, serviceTyping, '']])
  const found = useMemo(() => {
    const fits = createFilter(deferred)
    return (data ?? []).filter(({ name, description, owner }) =>
      fits(`${name}\n${description}\n${owner.username}`.toLowerCase()),
    )
  }, [data, deferred])
  const { shown, pager } = usePagedItems(found, deferred, 'page')
  if (hidesData(error, data)) return <NotLoaded error={error} onTryAgain={refetch} />
  if (!data) return <Loading />
  return (
    <div className="page administered">
      <ViewHeading title={parts.services} introduction={words.introduction}>
        <Button className="button primary" onPress={() => setIsCreating(true)}>
          <Plus aria-hidden />
          {words.newService}
        </Button>
      </ViewHeading>
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
      {data.length === 0 ? (
        <p className="soft">{words.none}</p>
      ) : (
        <FilterField label={filterText} value={filter} onChange={setFilter} />
      )}
      {data.length > 0 && found.length === 0 && (
        <p className="soft" role="status">
          {nothingFits}
        </p>
      )}
      {pager}
      <ul className="entries">
        {shown.map((service) => (
          <ServiceEntry key={service.id} service={service} />
        ))}
      </ul>
      <MachineCommands
        title={words.applicationKeys}
        text={words.applicationKeysHelp}
        commands={['strongroom apikey create NAME', 'strongroom apikey list', 'strongroom apikey revoke NAME']}
      />
      {isCreating && <ServiceDialog onClose={() => setIsCreating(false)} />}
    </div>
  )
}

function ServiceEntry({ service }: { readonly service: ServiceAccount }) {
  const words = useWordsOf(serviceWords)
  const { id, name, description, owner, active } = service
  return (
    <li>
      <a href={`#/administration/services/${id}`}>
        <span className="tile">
          <Bot aria-hidden />
        </span>
        <span className="texts">
          <span className="title">{name}</span>
          <span className="soft">{[description, owner.username].filter(Boolean).join(' · ')}</span>
        </span>
        {!active && <span className="right locked">{words.disabled}</span>}
        <ChevronRight aria-hidden className="go" />
      </a>
    </li>
  )
}
