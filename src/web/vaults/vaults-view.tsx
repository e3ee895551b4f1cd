import { ChevronRight, Plus, Vault } from 'lucide-react'
import { useDeferredValue, useMemo } from 'react'
import { Button } from 'react-aria-components/Button'
import { useDebounced } from '../controls/debounced.ts'
import { createFilter, FilterField } from '../controls/filter-field.tsx'
import { useListText } from '../controls/list-state.ts'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { usePagedItems } from '../controls/paged-items.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import { partOf } from '../controls/view-of.tsx'
import type { SharedVault } from '../interface/calls.ts'
import { hidesData } from '../interface/refusal.ts'
import { useOwnCapability } from '../session/own-capability.ts'
import { useOpened } from '../session/typed-state.ts'
import { nameOrder } from '../words/name-order.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { FavouriteList } from './favourite-list.tsx'
import { ObjectIcon } from './object-icon.tsx'
import { useRecent } from './recent.ts'
import { TagFilter } from './tag-filter.tsx'
import { vaultTyping } from './vault-draft.ts'
import { useVaults } from './vault-reads.ts'
import { VaultSearch } from './vault-search.tsx'
import { vaultsWords } from './vaults-words.ts'

const [CreateVaultDialog] = partOf(async () => (await import('./vault-form.tsx')).CreateVaultDialog)

/** All vaults of the person, and the search through their objects. */
export function VaultsView() {
  const words = useWords()
  const own = useWordsOf(vaultsWords)
  const mayCreate = useOwnCapability('createVault')
  const { data, error, refetch } = useVaults()
  const [text, setText] = useListText('search')
  const deferred = useDeferredValue(text.trim())
  const settled = useDebounced(text.trim())
  const sorted = useMemo(() => {
    const compare = nameOrder(words.locale)
    return (data?.VAULTS ?? [])
      .map((vault) => ({ vault, text: `${vault.groupname}\n${vault.description}`.toLowerCase() }))
      .toSorted((a, b) => compare(a.vault.groupname, b.vault.groupname))
  }, [data, words])
  const found = useMemo(() => {
    const fits = createFilter(deferred)
    return sorted.filter((one) => fits(one.text)).map(({ vault }) => vault)
  }, [sorted, deferred])
  const { shown, pager } = usePagedItems(found, deferred, 'page')

  if (hidesData(error, data)) return <NotLoaded error={error} onTryAgain={refetch} />
  if (!data) return <Loading />
  const isSearched = deferred !== ''
  return (
    <div className="page">
      <ViewHeading
        title={words.vaults}
        introduction={sorted.length > 0 ? words.vaultsShared(sorted.length) : undefined}
      >
        {mayCreate && <CreateVault />}
      </ViewHeading>
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
      {sorted.length === 0 ? (
        <div className="nothing">
          <Vault aria-hidden />
          <p>{words.noVaults}</p>
          <p className="soft">{mayCreate ? words.noVaultsOwnHelp : words.noVaultsHelp}</p>
        </div>
      ) : (
        <>
          <FilterField label={own.search} value={text} onChange={setText} />
          {!isSearched && <FavouriteList vaults={sorted.map(({ vault }) => vault)} />}
          <TagFilter text={deferred} />
          {!isSearched && <Recent />}
          {isSearched && found.length > 0 && <h2>{own.vaultsFound}</h2>}
          {pager}
          <VaultList vaults={shown} />
          {isSearched && <VaultSearch text={settled} vaultCount={found.length} />}
        </>
      )}
    </div>
  )
}

function VaultList({ vaults }: { readonly vaults: readonly SharedVault[] }) {
  const words = useWords()
  if (vaults.length === 0) return null
  return (
    <ul className="vaults">
      {vaults.map(({ id, groupname, description, statustext }) => (
        <li key={id}>
          <a href={`#/vault/${id}`}>
            <span className="tile">
              <Vault aria-hidden />
            </span>
            <span className="texts">
              <span className="title">{groupname}</span>
              {description !== '' && description !== groupname && <span className="soft">{description}</span>}
            </span>
            <span className="right">{words.rights[statustext] ?? statustext}</span>
            <ChevronRight aria-hidden className="go" />
          </a>
        </li>
      ))}
    </ul>
  )
}

/** The recently opened vaults and objects, if there are any. */
function Recent() {
  const words = useWordsOf(vaultsWords)
  const items = useRecent()
  if (items.length === 0) return null
  return (
    <nav className="recent" aria-label={words.recent}>
      <h2>{words.recent}</h2>
      <ul>
        {items.map(({ href, name, icon }) => (
          <li key={href}>
            <a className="button small" href={href}>
              {icon === undefined ? <Vault aria-hidden /> : <ObjectIcon name={icon} />}
              <span className="title">{name}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function CreateVault() {
  const words = useWordsOf(vaultsWords)
  const [isOpen, setIsOpen] = useOpened<boolean>(() => [[true, vaultTyping, '']])
  return (
    <>
      <Button className="button primary" onPress={() => setIsOpen(true)}>
        <Plus aria-hidden />
        {words.create}
      </Button>
      {isOpen && <CreateVaultDialog onClose={() => setIsOpen(false)} />}
    </>
  )
}
