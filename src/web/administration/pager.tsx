import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { useWordsOf } from '../words/spoken.tsx'
import { administrationWords } from './administration-words.ts'

export interface Pages {
  /** What to send for the page that is shown; absent for the first one. */
  readonly next: string | undefined
  readonly number: number
  readonly goOn: (next: string) => void
  readonly goBack: () => void
  readonly goFirst: () => void
}

/** Where one is in a list of which each page names the next one. */
export function usePages(): Pages {
  const [way, setWay] = useState<readonly string[]>([])
  return {
    next: way.at(-1),
    number: way.length + 1,
    goOn: (next) => setWay([...way, next]),
    goBack: () => setWay(way.slice(0, -1)),
    goFirst: () => setWay([]),
  }
}

interface Props {
  readonly pages: Pages
  /** What the page that is shown names as its next one. */
  readonly following: string | undefined
  /** While the page before is shown until the next one is there: its next page is the one that is being read. */
  readonly isTurning: boolean
}

/** Nothing where there is one page alone. */
export function Pager({ pages, following, isTurning }: Props) {
  const words = useWordsOf(administrationWords)
  if (pages.number === 1 && following === undefined) return null
  return (
    <nav className="pager" aria-label={words.page(pages.number)}>
      <Button className="button small" isDisabled={pages.number === 1} onPress={pages.goBack}>
        <ChevronLeft aria-hidden />
        {words.previous}
      </Button>
      <span className="soft" role="status">
        {words.page(pages.number)}
      </span>
      <Button
        className="button small"
        isDisabled={following === undefined}
        onPress={() => following !== undefined && !isTurning && pages.goOn(following)}
      >
        {words.next}
        <ChevronRight aria-hidden />
      </Button>
    </nav>
  )
}
