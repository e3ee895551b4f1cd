import { Link2 } from 'lucide-react'
import { useState } from 'react'
import { LongSelect } from '../controls/long-select.tsx'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { Loading } from '../controls/loading.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import type { SharedVault } from '../interface/calls.ts'
import { useHasLinks } from '../me/me-reads.ts'
import { useOwnCapability } from '../session/own-capability.ts'
import { useOpened } from '../session/typed-state.ts'
import { useContents, useVaults } from '../vaults/vault-reads.ts'
import { nameOrder } from '../words/name-order.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { exchangeWords } from './exchange-words.ts'
import { ExportPart } from './export-part.tsx'
import { ImportPart, type ImportProps } from './import-part.tsx'
import { importTyping } from './import-preview.tsx'
import './exchange.css'

/** Imports files of other programs into a vault, and exports a vault to a file. */
export function ExchangeView() {
  const words = useWordsOf(exchangeWords)
  const { locale, noVaults, noVaultsHelp, noVaultsOwnHelp } = useWords()
  const mayCreate = useOwnCapability('createVault')
  const hasLinks = useHasLinks()
  const { data, error, refetch } = useVaults()
  if (error && !data) return <NotLoaded error={error} onTryAgain={refetch} />
  if (!data) return <Loading />
  const compare = nameOrder(locale)
  const vaults = data.VAULTS.toSorted((a, b) => compare(a.groupname, b.groupname))
  const [first] = vaults
  return (
    <div className="page exchange">
      <ViewHeading title={words.title}>
        {hasLinks && (
          <a className="button small" href="#/links">
            <Link2 aria-hidden />
            {words.oneTimeLinks}
          </a>
        )}
      </ViewHeading>
      {first === undefined ? (
        <p className="soft">{`${noVaults} ${mayCreate ? noVaultsOwnHelp : noVaultsHelp}`}</p>
      ) : (
        <OfVaults vaults={vaults} first={first} />
      )}
    </div>
  )
}

interface OfVaultsProps {
  readonly vaults: readonly SharedVault[]
  readonly first: SharedVault
}

function OfVaults({ vaults, first }: OfVaultsProps) {
  const words = useWordsOf(exchangeWords)
  // Not the first of the list at any time: another vault may be shared with the person amid an import.
  const [chosen, setChosen] = useOpened<string>(() => vaults.map(({ id }) => [id, importTyping, id]))
  const [isImporting, setIsImporting] = useState(false)
  const vault = vaults.find(({ id }) => id === chosen) ?? first
  if (vault.id !== chosen) setChosen(vault.id)
  return (
    <>
      <fieldset className="choose-vault" disabled={isImporting}>
        <LongSelect
          label={words.vault}
          name="vault"
          value={vault.id}
          onChange={setChosen}
          options={vaults.map(({ id, groupname }) => ({ value: id, text: groupname }))}
        />
      </fieldset>
      <OfVault
        key={vault.id}
        vaultid={vault.id}
        mayWrite={vault.statustext !== 'Read'}
        isImporting={isImporting}
        onImporting={setIsImporting}
      />
    </>
  )
}

interface OfVaultProps extends Pick<ImportProps, 'vaultid' | 'isImporting' | 'onImporting'> {
  readonly mayWrite: boolean
}

function OfVault({ mayWrite, ...part }: OfVaultProps) {
  const { vaultid } = part
  const { data, error, refetch } = useContents(vaultid)
  if (error && !data) return <NotLoaded error={error} onTryAgain={refetch} />
  if (!data) return <Loading />
  return (
    <>
      {mayWrite && <ImportPart {...part} contents={data} />}
      <ExportPart vaultid={vaultid} contents={data} />
    </>
  )
}
