import { jsx as make, jsxs as makeOfSeveral } from 'react/jsx-runtime'
import { seenText } from './seen-text.ts'

export { Fragment } from 'react/jsx-runtime'

/** The properties of elements that are shown or read out. What is typed into a field (`value`) stays as it is. */
const shown = ['children', 'aria-label', 'title', 'alt', 'textValue'] as const

function seen(value: unknown): unknown {
  if (typeof value === 'string') return seenText(value)
  if (!Array.isArray(value)) return value
  const texts = value.map(seen)
  return texts.some((text, at) => text !== value[at]) ? texts : value
}

/** Names, values and files come from other people, and from attackers. So every text of the page passes through here. */
const withSeenTexts =
  (element: typeof make): typeof make =>
  (type, given, key) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the properties of an element
    let props = given as Readonly<Partial<Record<string, unknown>>>
    for (const name of shown) {
      const text = seen(props[name])
      if (text !== props[name]) props = { ...props, [name]: text }
    }
    return element(type, props, key)
  }

/** The page is compiled to call these for its JSX, in place of React's own functions (scripts/vite.config.mjs). */
export const jsx = withSeenTexts(make)
export const jsxs = withSeenTexts(makeOfSeveral)
