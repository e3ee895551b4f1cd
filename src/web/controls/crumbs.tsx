import { ChevronRight } from 'lucide-react'
import { useWords } from '../words/language.tsx'

export interface Crumb {
  readonly href: string
  readonly text: string
}

/** The links from all vaults down to the parent of the shown view, whose own name is the heading. */
export function Crumbs({ path }: { readonly path: readonly Crumb[] }) {
  const words = useWords()
  return (
    <nav className="crumbs" aria-label={words.where}>
      <ol>
        {[{ href: '#/', text: words.vaults }, ...path].map(({ href, text }) => (
          <li key={href}>
            <a href={href}>{text}</a>
            <ChevronRight aria-hidden />
          </li>
        ))}
      </ol>
    </nav>
  )
}
