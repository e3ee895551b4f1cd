import { Bot } from 'lucide-react'
import type { ServiceAccount } from '../interface/calls.ts'
import { useWordsOf } from '../words/spoken.tsx'
import { meWords } from './me-words.ts'

/** The accounts of applications that the person looks after; their view is one of the administration's. */
export function ServiceSection({ services }: { readonly services: readonly ServiceAccount[] }) {
  const words = useWordsOf(meWords)
  return (
    <ul className="items">
      {services.map(({ id, name, description, active }) => (
        <li key={id}>
          <span className="tile">
            <Bot aria-hidden />
          </span>
          <span className="texts">
            <a className="title" href={`#/administration/services/${id}`}>
              {name}
            </a>
            {description !== '' && <span className="soft">{description}</span>}
          </span>
          {!active && <span className="right locked">{words.serviceDisabled}</span>}
        </li>
      ))}
    </ul>
  )
}
