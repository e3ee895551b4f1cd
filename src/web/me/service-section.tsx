import { Bot } from 'lucide-react'
import type { ServiceAccount } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { serviceWords } from '../administration/service-words.ts'

/** The service accounts that the person owns. */
export function ServiceSection({ services }: { readonly services: readonly ServiceAccount[] }) {
  const words = useWordsOf(serviceWords)
  return (
    <ul className="items">
      {services.map(({ id, name, description, active }) => (
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
      ))}
    </ul>
  )
}
