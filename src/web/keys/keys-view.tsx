import { KeyRound, Plus } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { Crumbs } from '../controls/crumbs.tsx'
import { createFilter, FilterField } from '../controls/filter-field.tsx'
import { useListText } from '../controls/list-state.ts'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import { hidesData } from '../interface/refusal.ts'
import { useOpened } from '../session/typed-state.ts'
import { useVault } from '../vaults/vault-reads.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { Bench } from './bench.tsx'
import { benchWords } from './bench-words.ts'
import { DeletedKeys } from './deleted-keys.tsx'
import { ImportJobCard } from './import-job-card.tsx'
import { KeyList } from './key-list.tsx'
import { keyRights } from './key-rights.ts'
import { KeyRulesDialog, rulesTyping } from './key-rules-dialog.tsx'
import { useKeys, type ListedKeys } from './keys-reads.ts'
import { keysWords } from './keys-words.ts'
import './keys.css'
import { keyImportTyping, NewKeyDialog, newKeyTyping, type PreparedImport } from './new-key-dialog.tsx'
import { RestoreKeyDialog, restoreTyping } from './restore-key-dialog.tsx'
import { typeName } from './type-names.ts'

/** The keys of a vault. */
export function KeysView({ vaultid }: { readonly vaultid: string }) {
  const own = useWordsOf(keysWords)
  const bench = useWordsOf(benchWords)
  const { data, error, refetch } = useKeys(vaultid)
  const { vault, ...vaults } = useVault(vaultid)
  const trouble = error ?? (vault ? undefined : vaults.error)
  if (hidesData(trouble, data && vault))
    return <NotLoaded error={trouble} onTryAgain={error ? refetch : vaults.refetch} />
  if (!data || !vault) return <Loading />

  const { mayWrite, mayAdminister } = keyRights(vault, data.rules)
  return (
    <div className="page keys-page">
      <Crumbs path={[{ href: `#/vault/${vaultid}`, text: vault.groupname }]} />
      <ViewHeading title={own.keysOf(vault.groupname)} kind={own.keys} introduction={own.introduction} />
      {trouble && <ErrorMessage error={trouble} onTryAgain={refetch} />}
      {mayWrite && <NewKeys vaultid={vaultid} data={data} mayAdminister={mayAdminister} />}
      <FilteredKeys vaultid={vaultid} data={data} label={own.keysOf(vault.groupname)} mayWrite={mayWrite} />
      {mayAdminister && <DeletedKeys vaultid={vaultid} />}
      <Bench title={bench.withoutKey} operations={['random', 'hash']} />
    </div>
  )
}

interface NewKeysProps {
  readonly vaultid: string
  readonly data: ListedKeys
  readonly mayAdminister: boolean
}

/** Buttons that create, import and restore keys, and for an Admin the rules of the vault. */
function NewKeys({ vaultid, data, mayAdminister }: NewKeysProps) {
  const own = useWordsOf(keysWords)
  const [asked, setAsked] = useOpened<'create' | 'import' | 'restore' | 'rules'>(() => [
    ['create', newKeyTyping, vaultid],
    ['import', keyImportTyping, vaultid],
    ['restore', restoreTyping, vaultid],
    ['rules', rulesTyping, vaultid],
  ])
  const [prepared, setPrepared] = useState<PreparedImport>()
  const close = (): void => setAsked(undefined)
  return (
    <>
      <div className="buttons">
        <Button className="button primary" onPress={() => setAsked('create')}>
          <Plus aria-hidden />
          {own.create}
        </Button>
        <Button className="button" onPress={() => setAsked('import')}>
          {own.importKey}
        </Button>
        <Button className="button" onPress={() => setAsked('restore')}>
          {own.restore}
        </Button>
        {mayAdminister && (
          <Button className="button" onPress={() => setAsked('rules')}>
            {own.rules}
          </Button>
        )}
      </div>
      {prepared && <ImportJobCard key={prepared.job.job} prepared={prepared} onClose={() => setPrepared(undefined)} />}
      {asked === 'create' && <NewKeyDialog vaultid={vaultid} onClose={close} />}
      {asked === 'import' && <NewKeyDialog vaultid={vaultid} onPrepared={setPrepared} onClose={close} />}
      {asked === 'restore' && <RestoreKeyDialog vaultid={vaultid} mayReplace={mayAdminister} onClose={close} />}
      {asked === 'rules' && <KeyRulesDialog vaultid={vaultid} rules={data.rules} onClose={close} />}
    </>
  )
}

interface FilteredProps {
  readonly vaultid: string
  readonly data: ListedKeys
  readonly label: string
  readonly mayWrite: boolean
}

function FilteredKeys({ vaultid, data: { keys }, label, mayWrite }: FilteredProps) {
  const words = useWords()
  const own = useWordsOf(keysWords)
  const [filter, setFilter] = useListText('filter')
  const deferred = useDeferredValue(filter)
  const searched = useMemo(
    () =>
      keys.map((key) => ({ key, text: [key.name, key.type, typeName(key.type), key.info].join('\n').toLowerCase() })),
    [keys],
  )
  const shown = useMemo(() => {
    const fits = createFilter(deferred)
    return searched.filter(({ text }) => fits(text)).map(({ key }) => key)
  }, [searched, deferred])
  if (keys.length === 0)
    return (
      <div className="nothing">
        <KeyRound aria-hidden />
        <p>{own.noKeys}</p>
        {mayWrite && <p className="soft">{own.noKeysHelp}</p>}
      </div>
    )
  return (
    <>
      <div className="bar">
        <FilterField label={own.filterKeys} value={filter} onChange={setFilter} />
        <p className="soft count" role="status">
          {deferred.trim() === '' ? own.count(keys.length) : own.found(shown.length, keys.length)}
        </p>
      </div>
      {shown.length === 0 ? (
        <p className="soft">{words.nothingFits}</p>
      ) : (
        <KeyList key={deferred} vaultid={vaultid} label={label} keys={shown} />
      )}
    </>
  )
}
