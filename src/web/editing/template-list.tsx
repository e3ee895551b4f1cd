import { useDeferredValue, useMemo, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { createFilter, FilterField } from '../controls/filter-field.tsx'
import { usePagedItems } from '../controls/paged-items.tsx'
import type { StoredTemplate } from '../interface/calls.ts'
import { ObjectIcon } from '../vaults/object-icon.tsx'
import { useWordsOf } from '../words/language.tsx'
import { editingWords } from './editing-words.ts'

interface Props {
  readonly templates: readonly StoredTemplate[]
  readonly onChoose: (template: StoredTemplate) => void
}

/** The templates, with a filter for their names and the labels of their fields. */
export function TemplateList({ templates, onChoose }: Props) {
  const words = useWordsOf(editingWords)
  const [filter, setFilter] = useState('')
  const deferred = useDeferredValue(filter)
  const found = useMemo(() => {
    const fits = createFilter(deferred)
    return templates.filter((template) => fits(`${template.info.name}\n${labelsOf(template).join('\n')}`.toLowerCase()))
  }, [templates, deferred])
  const { shown, pager } = usePagedItems(found, deferred)
  return (
    <section className="templates">
      <h2>{words.chooseTemplate}</h2>
      <FilterField label={words.findTemplate} value={filter} onChange={setFilter} />
      {found.length === 0 && (
        <p className="soft" role="status">
          {words.noTemplate}
        </p>
      )}
      {pager}
      <ul>
        {shown.map((template) => (
          <li key={template.id}>
            <Button className="card" onPress={() => onChoose(template)}>
              <ObjectIcon name={template.info.ico} />
              <span className="texts">
                <span className="title">{template.info.name}</span>
                <span className="soft">{words.fieldsOf(labelsOf(template))}</span>
              </span>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

const labelsOf = ({ structure }: StoredTemplate): string[] => structure.map(({ translation }) => translation)
