import { ChevronRight } from 'lucide-react'
import { LongList } from '../controls/long-list.tsx'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import type { ListedTemplate } from '../interface/calls.ts'
import { hidesData } from '../interface/refusal.ts'
import { ObjectIcon } from '../vaults/object-icon.tsx'
import { useListedTemplates } from '../vaults/vault-reads.ts'
import { useWordsOf } from '../words/language.tsx'
import { lastBuiltIn } from '../words/built-in-names.ts'
import { administrationWords } from './administration-words.ts'
import { formTemplateWords } from './form-template-words.ts'
import { TemplateEditor } from './template-editor.tsx'

const textOf = ({ INFO: { id, name } }: ListedTemplate): string => `${name}\n${id}`

/** All templates, or the editor for one of them. */
export function TemplatesView({ templateid }: { readonly templateid?: string }) {
  const words = useWordsOf(formTemplateWords)
  const { parts } = useWordsOf(administrationWords)
  const { data, error, refetch } = useListedTemplates()
  if (hidesData(error, data)) return <NotLoaded error={error} onTryAgain={refetch} />
  if (!data) return <Loading />
  const chosen = data.find(({ INFO }) => INFO.id === templateid)
  const freeId = String(Math.max(lastBuiltIn, ...data.map(({ INFO }) => Number(INFO.id))) + 1)
  if (chosen !== undefined) return <TemplateEditor key={templateid} template={chosen} freeId={freeId} />
  return (
    <div className="page administered">
      <ViewHeading title={parts.templates} introduction={words.introduction} />
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
      <LongList name="templates" className="entries" items={data} textOf={textOf}>
        {({ INFO: { id, name, ico, active }, STRUCTURE }) => (
          <li key={id}>
            <a href={`#/administration/templates/${id}`}>
              <span className="tile">
                <ObjectIcon name={ico} />
              </span>
              <span className="texts">
                <span className="title">{name}</span>
                <span className="soft">{words.fields(Object.keys(STRUCTURE).length)}</span>
              </span>
              {!active && <span className="right">{words.inactive}</span>}
              <span className="right">{words.number(id)}</span>
              <ChevronRight aria-hidden className="go" />
            </a>
          </li>
        )}
      </LongList>
    </div>
  )
}
