import { useQuery } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { useAction } from '../controls/action.ts'
import { useDone } from '../controls/change-done.ts'
import { Crumbs } from '../controls/crumbs.tsx'
import { LongList } from '../controls/long-list.tsx'
import { MomentText } from '../controls/moment-text.tsx'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import { call, type StoredTemplate, type TrashedObject } from '../interface/calls.ts'
import { hasStatus, hidesData } from '../interface/refusal.ts'
import { ObjectIcon } from '../vaults/object-icon.tsx'
import { useVault } from '../vaults/vault-reads.ts'
import { useWordsOf } from '../words/language.tsx'
import { useTemplateTranslation } from '../words/translated-names.ts'
import { trashWords } from './trash-words.ts'

/** The most objects that the appliance lists. */
const mostListed = 1_000

/** The deleted objects of a vault that can still be restored. */
export function TrashView({ vaultid }: { readonly vaultid: string }) {
  const words = useWordsOf(trashWords)
  const done = useDone(['vault', vaultid], ['trash', vaultid])
  const { vault } = useVault(vaultid)
  const { data, error, refetch } = useQuery({
    queryKey: ['trash', vaultid],
    queryFn: ({ signal }) => call('object.trash', { params: { vaultid }, signal }),
    select: useTemplateTranslation(),
    // Other people delete, too. Each reading is recorded, so that a return to the tab reads again after a while alone.
    refetchOnMount: 'always',
  })
  const action = useAction()
  const takeBack = ({ objectid, objectname }: TrashedObject): Promise<boolean> =>
    action.run(async (signal) => {
      await call('object.undelete', { params: { objectid }, signal }).catch(async (refusal: unknown) => {
        // Another person has been quicker.
        if (hasStatus(refusal, 404)) await refetch()
        throw refusal
      })
      await done(words.takenBack(objectname))
    }, objectid)
  if (hidesData(error, data)) return <NotLoaded error={error} onTryAgain={refetch} />
  if (!data) return <Loading />
  const name = vault?.groupname ?? '…'
  return (
    <div className="page">
      <Crumbs path={[{ href: `#/vault/${vaultid}`, text: name }]} />
      <ViewHeading title={words.title(name)} kind={words.kind} />
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
      {action.error !== undefined && <ErrorMessage error={action.error} />}
      <p className="soft">{data.TRASH.length === 0 ? words.nothing : words.help}</p>
      {data.TRASH.length === mostListed && <p className="soft">{words.newest(mostListed)}</p>}
      {data.TRASH.length > 0 && (
        <LongList name="trash" className="items card" items={data.TRASH} textOf={textOf}>
          {(object) => (
            <Trashed
              key={object.objectid}
              object={object}
              template={data.TEMPLATES.find(({ id }) => id === object.templateid)}
              onTakeBack={() => void takeBack(object)}
            />
          )}
        </LongList>
      )}
    </div>
  )
}

const textOf = ({ objectname, deletedby }: TrashedObject): string => `${objectname}\n${deletedby}`

interface TrashedProps {
  readonly object: TrashedObject
  readonly template: StoredTemplate | undefined
  readonly onTakeBack: () => void
}

function Trashed({ object, template, onTakeBack }: TrashedProps) {
  const words = useWordsOf(trashWords)
  const { objectname, objects, deleted, deletedby, destroyed } = object
  return (
    <li>
      <ObjectIcon name={template?.info.ico} />
      <span className="texts">
        <span className="title">
          {objectname}
          {Number(objects) > 1 && <span className="soft"> {words.with(Number(objects))}</span>}
        </span>
        <span className="soft">
          {words.deletedBy(deletedby)}, <MomentText at={rfc3339(deleted)} />; {words.destroyed}{' '}
          <MomentText at={rfc3339(destroyed)} />
        </span>
      </span>
      <Button className="button small" aria-label={words.takeBackOf(objectname)} onPress={onTakeBack}>
        <Undo2 aria-hidden />
        {words.takeBack}
      </Button>
    </li>
  )
}

/** Converts a time of an object, which the appliance writes in UTC without a time zone. */
const rfc3339 = (text: string): string => `${text.replace(' ', 'T')}Z`
