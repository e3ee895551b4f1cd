import { Info, Trash2, Users } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { Crumbs } from '../controls/crumbs.tsx'
import { createFilter, FilterField } from '../controls/filter-field.tsx'
import { useObjectDrag, type ObjectDrag } from './object-drag.ts'
import { useSelection } from './selection.ts'
import { VaultEntrance } from '../editing/vault-entrance.tsx'
import { KeysLink } from './keys-link.tsx'
import { useFavouriteRows } from './favourite-rows.ts'
import { nameColumn, ObjectTable, type TableColumn } from './object-table.tsx'
import type { SharedVault } from '../interface/calls.ts'
import { useNoteRecent } from './recent.ts'
import { inOrder, type Sort } from './row-order.ts'
import { useContents } from './vault-reads.ts'
import { hidesData } from '../interface/refusal.ts'
import { Loading } from '../controls/loading.tsx'
import { useTablePosition } from './table-position.ts'
import { ErrorMessage } from '../controls/error-message.tsx'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { allBelow, arrange, columnsOf, pathTo, rootId, summaryOf, type Arranged, type Row } from './vault-contents.ts'
import { ViewTitle } from '../controls/view-title.tsx'
import { partOf } from '../controls/view-of.tsx'
import type { Words } from '../words/en.ts'
import { useWords } from '../words/language.tsx'

/** Loaded apart, so that the table does not wait for it. */
const [FolderTree] = partOf(async () => (await import('./folder-tree.tsx')).FolderTree)

/** Loaded apart: only those who may write need it, and only after the table. */
const [ChosenBar] = partOf(async () => (await import('./chosen-bar.tsx')).ChosenBar)

interface Props {
  readonly vaultid: string
  readonly folderid: string
}

/** One vault: its folders, and the objects of the shown folder. */
export function VaultView({ vaultid, folderid }: Props) {
  const words = useWords()
  const { data, error, refetch } = useContents(vaultid)
  const arranged = useMemo(() => data && arrange(data, words.locale), [data, words])
  const vault = data?.VAULT[0]
  if (hidesData(error, data)) return <NotLoaded error={error} onTryAgain={refetch} />
  if (!arranged || !vault) return <Loading />

  return <OpenVault vault={vault} arranged={arranged} folderid={folderid} error={error} onTryAgain={refetch} />
}

interface OpenProps {
  readonly vault: SharedVault
  readonly arranged: Arranged
  readonly folderid: string
  /** The error because of which the shown data may be stale. */
  readonly error: Error | null
  readonly onTryAgain: () => unknown
}

function OpenVault({ vault, arranged, folderid, error, onTryAgain }: OpenProps) {
  const words = useWords()
  const { id: vaultid } = vault
  useNoteRecent({ href: `#/vault/${vaultid}`, name: vault.groupname })
  const anyDrag = useObjectDrag(vaultid, arranged)
  const drag = vault.statustext === 'Read' ? undefined : anyDrag
  const path = pathTo(arranged, folderid)
  const folder = path.at(-1)
  const openId = folder?.object.id ?? rootId
  const above = [
    ...(folder ? [{ href: `#/vault/${vaultid}`, text: vault.groupname }] : []),
    ...path.slice(0, -1).map(({ object }) => ({ href: `#/vault/${vaultid}/${object.id}`, text: object.objectname })),
  ]
  const title = folder?.object.objectname ?? vault.groupname
  const hasFolders = (arranged.byParent.get(rootId) ?? []).some(({ isFolder }) => isFolder)
  return (
    <div className={hasFolders ? 'vault with-tree' : 'vault'}>
      {hasFolders && (
        <aside>
          <FolderTree vaultid={vaultid} vaultName={vault.groupname} arranged={arranged} folderid={openId} drag={drag} />
        </aside>
      )}
      <div className="content">
        <Crumbs path={above} />
        <div className="heading">
          <ViewTitle key={openId} text={title} kind={words.vault} />
          {!folder && <OwnRight vault={vault} />}
          <VaultEntrance vault={vault} folderid={openId} name={title} />
          {folder ? (
            <a className="button small" href={`#/object/${openId}`}>
              <Info aria-hidden />
              {words.details}
            </a>
          ) : (
            <>
              <KeysLink vault={vault} />
              {drag && (
                <a className="button small" href={`#/vault/${vaultid}/trash`}>
                  <Trash2 aria-hidden />
                  {words.trash}
                </a>
              )}
              <a className="button small" href={`#/vault/${vaultid}/about`}>
                <Users aria-hidden />
                {words.members}
              </a>
            </>
          )}
        </div>
        {!folder && vault.description !== '' && vault.description !== title && (
          <p className="soft">{vault.description}</p>
        )}
        {error && <ErrorMessage error={error} onTryAgain={onTryAgain} />}
        {drag?.error !== undefined && <ErrorMessage error={drag.error} />}
        <Objects key={openId} vault={vault} arranged={arranged} folderid={openId} title={title} drag={drag} />
      </div>
    </div>
  )
}

function OwnRight({ vault: { statustext } }: { readonly vault: SharedVault }) {
  const words = useWords()
  return (
    <span className="right" title={words.yourRight}>
      {words.rights[statustext] ?? statustext}
    </span>
  )
}

/** What an empty vault or folder says, with what to do for those who may write. */
function Empty({ isVault, mayWrite }: { readonly isVault: boolean; readonly mayWrite: boolean }) {
  const words = useWords()
  const empty = isVault ? words.emptyVault : words.emptyFolder
  return <p className="soft">{mayWrite ? `${empty} ${words.emptyHelp}` : empty}</p>
}

interface ObjectsProps {
  readonly vault: SharedVault
  readonly folderid: string
  readonly arranged: Arranged
  readonly title: string
  /** Absent where the person may not write. */
  readonly drag: ObjectDrag | undefined
}

function Objects({ vault, arranged, folderid, title, drag }: ObjectsProps) {
  const words = useWords()
  const { id: vaultid } = vault
  const position = useTablePosition(vaultid, folderid)
  const [filter, setFilter] = useState(() => position.read().filter)
  const deferred = useDeferredValue(filter)
  const here = arranged.byParent.get(folderid) ?? noRows
  const below = useMemo(() => allBelow(arranged, folderid), [arranged, folderid])
  const isFiltered = deferred.trim() !== ''
  const found = useMemo(() => {
    const fits = createFilter(deferred)
    return isFiltered ? below.filter(({ text }) => fits(text)) : here
  }, [below, here, deferred, isFiltered])
  const columns = useMemo(() => tableColumns(found, isFiltered, arranged, words), [found, isFiltered, arranged, words])
  const [sort, setSort] = useState(() => position.read().sort)
  const deferredSort = useDeferredValue(sort)
  const rows = useMemo(
    () => sorted(found, columns, deferredSort, words.locale),
    [found, columns, deferredSort, words.locale],
  )
  const favourites = useFavouriteRows()

  const selection = useSelection(rows, deferred)
  const mayWrite = drag !== undefined

  if (below.length === 0) return <Empty isVault={folderid === rootId} mayWrite={mayWrite} />
  return (
    <>
      <div className="bar">
        <FilterField
          label={words.filterObjects}
          value={filter}
          onChange={(next) => {
            position.keep({ filter: next, top: 0, activeId: undefined })
            setFilter(next)
          }}
        />
        <p className="soft count" role="status">
          {isFiltered ? words.found(rows.length, below.length) : words.countOfObjects(here.length)}
        </p>
        {mayWrite && <ChosenBar vault={vault} arranged={arranged} selection={selection} favourites={favourites} />}
      </div>
      {favourites.error !== undefined && <ErrorMessage error={favourites.error} />}
      {rows.length === 0 ? (
        <p className="soft">{words.nothingFits}</p>
      ) : (
        <ObjectTable
          label={title}
          rows={rows}
          columns={columns}
          filter={`${deferredSort?.column} ${deferredSort?.isDescending} ${deferred}`}
          favourites={favourites}
          // By default a folder is sorted by name, and the results of a filter by their place.
          sort={sort ?? (isFiltered ? undefined : byName)}
          onSort={(next) => {
            position.keep({ sort: next, top: 0, activeId: undefined })
            setSort(next)
          }}
          position={position}
          selection={mayWrite ? selection : undefined}
          drag={drag}
          hrefOf={({ object, isFolder }) => (isFolder ? `#/vault/${vaultid}/${object.id}` : `#/object/${object.id}`)}
        />
      )}
    </>
  )
}

const noRows: readonly Row[] = []
const byName: Sort = { column: nameColumn, isDescending: false }

/** Sorts the rows. Columns depend on the rows: a column that has disappeared sorts nothing. */
function sorted(
  rows: readonly Row[],
  columns: readonly TableColumn[],
  sort: Sort | undefined,
  locale: string,
): readonly Row[] {
  if (sort === undefined) return rows
  if (sort.column === nameColumn) return inOrder(rows, ({ object }) => object.objectname, sort, locale)
  const column = columns.find(({ id }) => id === sort.column)
  return column ? inOrder(rows, column.text, sort, locale) : rows
}

function tableColumns(rows: readonly Row[], isFiltered: boolean, arranged: Arranged, words: Words): TableColumn[] {
  const openText = (row: Row, text: string): string => (row.object.abridged === true ? words.tooLongForList : text)
  const kind = {
    id: 'kind',
    label: words.kind,
    text: ({ template }: Row) => template?.info.name ?? '',
  }
  const fields = columnsOf(rows).map(({ fieldname, translation }) => ({
    id: `field ${fieldname}`,
    label: translation,
    text: (row: Row) => (row.isFolder ? '' : openText(row, row.object.public[fieldname] ?? '')),
  }))
  const place = {
    id: 'place',
    label: words.place,
    text: ({ object }: Row) =>
      pathTo(arranged, object.parentid)
        .map((row) => row.object.objectname)
        .join(' / '),
  }
  const told =
    fields.length > 0
      ? fields
      : [kind, { id: 'details', label: words.details, text: (row: Row) => openText(row, summaryOf(row)) }]
  const hasPlaces = isFiltered && rows.some(({ object }) => object.parentid !== rootId)
  return [...told, ...(hasPlaces ? [place] : [])]
}
