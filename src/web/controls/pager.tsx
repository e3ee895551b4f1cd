import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { useWordsOf } from '../words/spoken.tsx'
import { listWords } from './list-words.ts'

/** Where one is in a list. */
interface Place {
  readonly number: number
  readonly goOn: (next: string) => void
  readonly goBack: () => void
}

export interface Pages extends Place {
  /** What to send for the page that is shown; absent for the first one. */
  readonly next: string | undefined
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
  readonly pages: Place
  /** How many there are, where that is known. */
  readonly count?: number
  /** What the page that is shown names as its next one. */
  readonly following: string | undefined
  /** While the page before is shown until the next one is there: its next page is the one that is being read. */
  readonly isTurning?: boolean
}

/** Nothing where there is one page alone. */
export function Pager({ pages, count, following, isTurning = false }: Props) {
  const words = useWordsOf(listWords)
  const back = useRef<HTMLButtonElement>(null)
  const on = useRef<HTMLButtonElement>(null)
  const isFirst = pages.number === 1
  const isLast = following === undefined
  const pressed = useRef<Element>(null)
  useEffect(() => {
    // The button that leads no further loses the focus: the other one takes it, unless the person has gone elsewhere.
    const { current: button } = pressed
    const { activeElement, body } = document
    if (button?.matches(':disabled') !== true || (activeElement !== button && activeElement !== body)) return
    const other = button === on.current ? back : on
    other.current?.focus()
  }, [isFirst, isLast])
  if (isFirst && isLast) return null
  const place = words.page(pages.number, count)
  return (
    <nav className="pager" aria-label={place}>
      <Button
        ref={back}
        className="button small"
        isDisabled={isFirst}
        onPress={({ target }) => {
          pressed.current = target
          pages.goBack()
        }}
      >
        <ChevronLeft aria-hidden />
        {words.previous}
      </Button>
      <span className="soft" role="status">
        {place}
      </span>
      <Button
        ref={on}
        className="button small"
        isDisabled={isLast}
        onPress={({ target }) => {
          pressed.current = target
          if (!isLast && !isTurning) pages.goOn(following)
        }}
      >
        {words.next}
        <ChevronRight aria-hidden />
      </Button>
    </nav>
  )
}
