import { Bot } from 'lucide-react'
import { LongList } from '../controls/long-list.tsx'
import type { ServiceAccount } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { serviceWords } from '../administration/service-words.ts'

/** The service accounts that the person owns. */
export function ServiceSection({ services }: { readonly services: readonly ServiceAccount[] }) {
  const words = useWordsOf(serviceWords)
  return (
    <LongList className="items" items={services} textOf={textOf}>
      {({ id, name, description, active }) => (
        <li key={id}>
          <span className="tile">
            <Bot aria-hidden />
          </span>
          <span className="texts">
            <a className="title" href={`#/me/services/${id}`}>
              {name}
            </a>
            {description !== '' && <span className="soft">{description}</span>}
          </span>
          {!active && <span className="right locked">{words.disabled}</span>}
        </li>
      )}
    </LongList>
  )
}

const textOf = ({ name, description }: ServiceAccount): string => `${name}\n${description}`
