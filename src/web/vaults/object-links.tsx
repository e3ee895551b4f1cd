import { LongList } from '../controls/long-list.tsx'
import type { StoredObject, StoredTemplate } from '../interface/calls.ts'
import { ObjectIcon } from './object-icon.tsx'

interface Props {
  readonly objects: readonly StoredObject[]
  readonly templates: readonly StoredTemplate[]
}

/** A list of links to objects, each with its template's name. */
export function ObjectLinks({ objects, templates }: Props) {
  return (
    <LongList className="vaults" items={objects} textOf={nameOf}>
      {({ id, objectname, templateid }) => {
        const template = templates.find((one) => one.id === templateid)
        return (
          <li key={id}>
            <a href={`#/object/${id}`}>
              <ObjectIcon name={template?.info.ico} />
              <span className="texts">
                <span className="title">{objectname}</span>
                <span className="soft">{template?.info.name}</span>
              </span>
            </a>
          </li>
        )
      }}
    </LongList>
  )
}

const nameOf = ({ objectname }: StoredObject): string => objectname
