import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Button } from 'react-aria-components/Button'
import { useWordsOf } from '../words/language.tsx'
import { useListText } from './list-state.ts'
import { listWords } from './list-words.ts'

/** The position in a list, and how to move. */
interface PagePosition {
  readonly number: number
  readonly goOn: (next: string) => void
  readonly goBack: () => void
}

export interface Pages extends PagePosition {
  /** The parameter that asks for the shown page; absent for the first one. */
  readonly next: string | undefined
  readonly goFirst: () => void
}

/**
 * The position in a list whose pages each name the next one.
 * @param name Its name in the view, where the position is kept for Back
 */
export function usePages(name?: string): Pages {
  const [text, setText] = useListText(name)
  // No parameter for a page has a space.
  const way = text.split(' ').filter(Boolean)
  const setWay = (next: readonly string[]): void => setText(next.join(' '))
  return {
    next: way.at(-1),
    number: way.length + 1,
    goOn: (next) => setWay([...way, next]),
    goBack: () => setWay(way.slice(0, -1)),
    goFirst: () => setWay([]),
  }
}

interface Props {
  readonly pages: PagePosition
  /** Number of pages, where it is known. */
  readonly count?: number
  /** The parameter for the next page, as the shown page gives it. */
  readonly following: string | undefined
  /** The previous page is still shown while the next one loads, so `following` is the page that is loading. */
  readonly isTurning?: boolean
}

/** The buttons between pages; null for a single page. */
export function Pager({ pages, count, following, isTurning = false }: Props) {
  const words = useWordsOf(listWords)
  const back = useRef<HTMLButtonElement>(null)
  const on = useRef<HTMLButtonElement>(null)
  const isFirst = pages.number === 1
  const isLast = following === undefined
  const pressed = useRef<Element>(null)
  useEffect(() => {
    // A button at the end of the list is disabled and loses the focus. The other button takes it, unless the person has
    // moved it.
    const { current: button } = pressed
    const { activeElement, body } = document
    if (button?.matches(':disabled') !== true || (activeElement !== button && activeElement !== body)) return
    const other = button === on.current ? back : on
    other.current?.focus()
  }, [isFirst, isLast])
  if (isFirst && isLast) return null
  const position = words.page(pages.number, count)
  return (
    <nav className="pager" aria-label={position}>
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
        {position}
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
