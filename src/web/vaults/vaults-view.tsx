import { ChevronRight, Vault } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { createFilter, FilterField } from '../controls/filter-field.tsx'
import { useVaults } from './vault-reads.ts'
import { isDenial } from '../interface/refusal.ts'
import { Slow } from '../controls/slow.tsx'
import { Trouble } from '../controls/trouble.tsx'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { ViewTitle } from '../controls/view-title.tsx'
import { useWords } from '../words/spoken.tsx'

/** All vaults that are shared with the person. */
export function VaultsView() {
  const words = useWords()
  const { data, error, refetch } = useVaults()
  const [filter, setFilter] = useState('')
  const deferred = useDeferredValue(filter)
  const sorted = useMemo(
    () =>
      (data?.VAULTS ?? [])
        .map((vault) => ({ vault, text: `${vault.groupname}\n${vault.description}`.toLowerCase() }))
        .toSorted((a, b) => a.vault.groupname.localeCompare(b.vault.groupname, words.locale, { numeric: true })),
    [data, words],
  )
  const shown = useMemo(() => {
    const fits = createFilter(deferred)
    return sorted.filter(({ text }) => fits(text))
  }, [sorted, deferred])

  if (error && (!data || isDenial(error))) return <NotLoaded error={error} onTryAgain={() => void refetch()} />
  if (!data) return <Slow />
  return (
    <div className="page">
      <div className="heading">
        <ViewTitle text={words.vaults} />
        {sorted.length > 0 && <p className="soft">{words.vaultsShared(sorted.length)}</p>}
      </div>
      {error && <Trouble error={error} onTryAgain={() => void refetch()} />}
      {sorted.length === 0 ? (
        <div className="nothing">
          <Vault aria-hidden />
          <p>{words.noVaults}</p>
          <p className="soft">{words.noVaultsHelp}</p>
        </div>
      ) : (
        <>
          <FilterField label={words.filterVaults} value={filter} onChange={setFilter} />
          {shown.length === 0 && (
            <p className="soft" role="status">
              {words.nothingFits}
            </p>
          )}
          <ul className="vaults">
            {shown.map(({ vault: { id, groupname, description, statustext } }) => (
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
        </>
      )}
    </div>
  )
}
