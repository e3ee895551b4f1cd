import { useWordsOf } from '../words/language.tsx'
import { columnUses, type ColumnUse, type Table } from './csv-reading.ts'
import { exchangeWords } from './exchange-words.ts'

interface Props {
  readonly table: Table
  readonly uses: readonly ColumnUse[]
  readonly onChange: (uses: readonly ColumnUse[]) => void
}

const isColumnUse = (text: string): text is ColumnUse => columnUses.some((use) => use === text)

/**
 * The use of each column. Name, password and the like have one column each; the column that loses its use goes to the
 * notes.
 */
export function ColumnTable({ table, uses, onChange }: Props) {
  const words = useWordsOf(exchangeWords)
  function choose(column: number, use: string): void {
    if (!isColumnUse(use)) return
    const isShared = use === 'more' || use === 'nothing'
    onChange(uses.map((before, at) => (at === column ? use : before === use && !isShared ? 'more' : before)))
  }
  return (
    <fieldset className="columns">
      <legend>{words.columns}</legend>
      {table.headings.map((heading, column) => (
        // oxlint-disable-next-line react/no-array-index-key -- columns have no other name: two headings may be the same
        <label key={column}>
          <span>{heading}</span>
          <select value={uses[column]} onChange={({ target }) => choose(column, target.value)}>
            {columnUses.map((use) => (
              <option key={use} value={use}>
                {words.uses[use]}
              </option>
            ))}
          </select>
        </label>
      ))}
    </fieldset>
  )
}
