import { Copy, Footprints, History } from 'lucide-react'
import { type ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { useAlarmQuestion } from './alarm-question.tsx'
import { announce } from '../controls/announcement.tsx'
import { copyOpen } from '../controls/clipboard.ts'
import type { Field, ReadObject, StoredObject, StoredTemplate } from '../interface/calls.ts'
import { Crumbs } from '../controls/crumbs.tsx'
import { ObjectActions } from '../editing/object-actions.tsx'
import { FavouriteButton } from './favourite-button.tsx'
import { FileValue } from './file-value.tsx'
import { ObjectIcon } from '../vaults/object-icon.tsx'
import { ObjectLinks } from '../vaults/object-links.tsx'
import { useObjectMarks } from '../vaults/object-marks.tsx'
import { useOwnCapability } from '../session/own-capability.ts'
import { useNoteRecent } from '../vaults/recent.ts'
import { readSecret, useObject, useVault } from '../vaults/vault-reads.ts'
import { hidesData } from '../interface/refusal.ts'
import { SecretValue } from './secret-value.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { ViewTitle } from '../controls/view-title.tsx'
import { partOf } from '../controls/view-of.tsx'
import { webAddressOf } from './web-address.ts'
import { useWords } from '../words/language.tsx'

/** Loaded apart, because an object can be shown without its tags. */
const [ObjectTags] = partOf(async () => (await import('./object-tags.tsx')).ObjectTags)

/** One object, in the layout of its template. */
export function ObjectView({ objectid }: { readonly objectid: string }) {
  const { data, error, refetch } = useObject(objectid)
  if (hidesData(error, data)) return <NotLoaded error={error} onTryAgain={refetch} />
  const [object, ...below] = data?.OBJECT ?? []
  if (!data || !object) return <Loading />
  return <OpenObject data={data} object={object} below={below} error={error} onTryAgain={refetch} />
}

interface OpenProps {
  readonly data: ReadObject
  readonly object: StoredObject
  readonly below: readonly StoredObject[]
  /** The error because of which the shown data may be stale. */
  readonly error: Error | null
  readonly onTryAgain: () => unknown
}

function OpenObject({ data, object, below, error, onTryAgain }: OpenProps) {
  const words = useWords()
  const { mayRead, question } = useAlarmQuestion(object.id)
  const { groupid, objectname } = object
  const template = data.TEMPLATES.find(({ id }) => id === object.templateid)
  useNoteRecent({ href: `#/object/${object.id}`, name: objectname, icon: template?.info.ico ?? '' })
  const { vault } = useVault(groupid)
  const path = [
    { href: `#/vault/${groupid}`, text: vault?.groupname ?? '…' },
    ...data.BREADCRUMB.map((crumb) => ({ href: `#/vault/${groupid}/${crumb.objectid}`, text: crumb.objectname })),
  ]
  const fields = template?.structure ?? []
  return (
    <div className="page">
      <Crumbs path={path} />
      <div className="heading">
        <span className="tile">
          <ObjectIcon name={template?.info.ico} />
        </span>
        <div>
          <ViewTitle text={objectname} kind={words.object} />
          <p className="soft">{template?.info.name}</p>
        </div>
        <FavouriteButton object={object} template={template} />
        <TrackLinks object={object} />
        <ObjectActions object={object} template={template} vault={vault} />
      </div>
      {error && <ErrorMessage error={error} onTryAgain={onTryAgain} />}
      <Warnings object={object} />
      <dl className="fields card">
        {fields.map((field) => (
          <div key={field.fieldname}>
            <dt>{field.translation}</dt>
            <dd>
              {field.type === 'file' ? (
                <FileValue object={object} mayRead={(run) => mayRead('file', run)} />
              ) : field.encrypted ? (
                <SecretValue
                  field={field}
                  fetchSecret={(signal) => readSecret(object.id, field.fieldname, signal)}
                  mayRead={(run) => mayRead('secrets', run)}
                />
              ) : (
                <OpenValue field={field} value={object.public[field.fieldname] ?? ''} />
              )}
            </dd>
          </div>
        ))}
      </dl>
      {fields.some(({ encrypted, type }) => encrypted || type === 'file') && (
        <p className="soft hint">{words.recordedHint}</p>
      )}
      <ObjectTags key={object.id} object={object} template={template} />
      {below.length > 0 && <Below objects={below} templates={data.TEMPLATES} />}
      {question}
    </div>
  )
}

/** Links to the history and the audit trail of an object. */
function TrackLinks({ object }: { readonly object: StoredObject }) {
  const words = useWords()
  const mayReadTrail = useOwnCapability('audit')
  return (
    <>
      {object.version !== '1' && (
        <a className="button small" href={`#/object/${object.id}/history`}>
          <History aria-hidden />
          {words.history}
        </a>
      )}
      {mayReadTrail && (
        <a className="button small" href={`#/object/${object.id}/trail`}>
          <Footprints aria-hidden />
          {words.whoSaw}
        </a>
      )}
    </>
  )
}

function Warnings({ object }: { readonly object: StoredObject }) {
  const marks = useObjectMarks(object)
  if (marks.length === 0) return null
  return (
    <ul className="warnings">
      {marks.map(({ className, icon, text }) => (
        <li key={className} className={className}>
          {icon}
          {text}
        </li>
      ))}
    </ul>
  )
}

function OpenValue({ field, value }: { readonly field: Field; readonly value: string }) {
  const words = useWords()
  if (value === '') return <span className="value soft">{words.empty}</span>
  if (field.type === 'progress')
    return (
      <span className="value progress">
        <meter min={0} max={100} value={Number(value)} aria-label={field.translation} /> {words.percent(value)}
      </span>
    )
  const address = webAddressOf(value)
  return (
    <WithCopy label={field.translation} value={value}>
      {address === undefined ? (
        <span className={field.type === 'textarea' ? 'value text' : 'value'}>{value}</span>
      ) : (
        <a className="value" href={address} target="_blank" rel="noopener noreferrer">
          {value}
        </a>
      )}
    </WithCopy>
  )
}

interface CopyProps {
  readonly label: string
  readonly value: string
  readonly children: ReactNode
}

function WithCopy({ label, value, children }: CopyProps) {
  const words = useWords()
  async function copy(): Promise<void> {
    if (await copyOpen(value)) announce(words.copied(label))
  }
  return (
    <div className="copied">
      {children}
      <Button className="button small" aria-label={words.copyField(label)} onPress={() => void copy()}>
        <Copy aria-hidden />
        {words.copy}
      </Button>
    </div>
  )
}

interface BelowProps {
  readonly objects: readonly StoredObject[]
  readonly templates: readonly StoredTemplate[]
}

function Below({ objects, templates }: BelowProps) {
  const words = useWords()
  return (
    <section>
      <h2>{words.liesInIt}</h2>
      <ObjectLinks objects={objects} templates={templates} />
    </section>
  )
}
