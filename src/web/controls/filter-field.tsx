import { Search, X } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { Input } from 'react-aria-components/Input'
import { SearchField } from 'react-aria-components/SearchField'
import { useWords } from '../words/language.tsx'

interface Props {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly autoFocus?: boolean
}

/** A filter field. Enter in it does not submit the surrounding form. */
export function FilterField({ label, value, onChange, autoFocus = false }: Props) {
  const words = useWords()
  const shared = { 'aria-label': label, value, onChange, autoFocus }
  return (
    <SearchField className="filter" {...shared} onSubmit={sendNothing}>
      <Search aria-hidden />
      <Input placeholder={label} autoComplete="off" spellCheck="false" />
      {value !== '' && (
        <Button className="quiet" aria-label={words.clearFilter}>
          <X aria-hidden />
        </Button>
      )}
    </SearchField>
  )
}

const sendNothing = (): void => undefined

/** Returns a test whether a lower-case text contains every word of a filter. */
export function createFilter(filter: string): (text: string) => boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  return (text) => words.every((word) => text.includes(word))
}
