import { useWordsOf } from '../words/language.tsx'
import { chosenWords } from './chosen-words.ts'
import type { Row } from './vault-contents.ts'

const mostNamed = 5

/** The names of the objects that a dialog is about. */
export function ChosenNames({ rows }: { readonly rows: readonly Row[] }) {
  const words = useWordsOf(chosenWords)
  return (
    <ul className="names">
      {rows.slice(0, mostNamed).map(({ object }) => (
        <li key={object.id}>{object.objectname}</li>
      ))}
      {rows.length > mostNamed && <li className="soft">{words.andMore(rows.length - mostNamed)}</li>}
    </ul>
  )
}
