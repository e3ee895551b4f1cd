import { Crumbs } from '../controls/crumbs.tsx'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import { hidesData } from '../interface/refusal.ts'
import { defaultHistory, useObject, useVault } from '../vaults/vault-reads.ts'
import { useWordsOf } from '../words/language.tsx'
import { useHistory } from './earlier-reads.ts'
import { EarlierItem } from './earlier-item.tsx'
import { historyWords } from './history-words.ts'
import './history.css'

/** The earlier versions of an object. */
export function HistoryView({ objectid }: { readonly objectid: string }) {
  const words = useWordsOf(historyWords)
  const read = useObject(objectid)
  const history = useHistory(objectid)
  const [object] = read.data?.OBJECT ?? []
  const { vault } = useVault(object?.groupid)
  const failed = [read, history].find(({ error, data }) => hidesData(error, data))
  if (failed)
    return <NotLoaded error={failed.error} onTryAgain={() => Promise.all([read.refetch(), history.refetch()])} />
  if (!read.data || !object || !history.data) return <Loading />
  const template = read.data.TEMPLATES.find(({ id }) => id === object.templateid)
  const kept = Number(vault?.history ?? defaultHistory)
  const path = [
    { href: `#/vault/${object.groupid}`, text: vault?.groupname ?? '…' },
    { href: `#/object/${objectid}`, text: object.objectname },
  ]
  return (
    <div className="page">
      <Crumbs path={path} />
      <ViewHeading title={words.title(object.objectname)} kind={words.kind} />
      {history.error && <ErrorMessage error={history.error} onTryAgain={history.refetch} />}
      {vault && <p className="soft">{kept === 0 ? words.keepsNone : words.introduction(kept)}</p>}
      {history.data.length === 0 ? (
        kept > 0 && <p className="soft">{words.nothing}</p>
      ) : (
        <ul className="history card">
          {history.data.map((earlier) => (
            <EarlierItem
              key={earlier.version}
              earlier={earlier}
              object={object}
              template={template}
              mayWrite={Number(vault?.status) > 1}
            />
          ))}
        </ul>
      )}
    </div>
  )
}
