import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import type { ListedKey } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { keysWords } from './keys-words.ts'
import { RelativeMoment } from './relative-moment.tsx'
import { Permissions } from './permissions.tsx'
import { typeName } from './type-names.ts'
import { UseMeter } from './use-meter.tsx'

/** In pixels, as in keys.css. */
const rowHeight = 60
/**
 * More rows than a screen shows. Some are above the visible ones, because the browser may scroll before a new drawing.
 */
const drawnRows = 70
const rowsAbove = 15

interface Props {
  readonly vaultid: string
  readonly label: string
  readonly keys: readonly ListedKey[]
}

/** A list of keys that draws only rows near the visible ones: a thousand keys cost as much as fifty. */
export function KeyList({ vaultid, label, keys }: Props) {
  const own = useWordsOf(keysWords)
  const [top, setTop] = useState(0)
  const [focused, setFocused] = useState<string>()
  const first = Math.max(0, Math.min(top - rowsAbove, keys.length - drawnRows))
  const drawn = keys
    .map((key, at) => ({ key, at }))
    // The row in focus is always drawn. Without it, the focus would move to another row and scroll the list there.
    .filter(({ key, at }) => (at >= first && at < first + drawnRows) || key.name === focused)
  return (
    <div
      className="key-list card"
      role="table"
      aria-label={label}
      aria-rowcount={keys.length + 1}
      onScroll={({ currentTarget }) => setTop(Math.floor(currentTarget.scrollTop / rowHeight))}
    >
      <div role="rowgroup" className="head">
        <div role="row" aria-rowindex={1} className="row">
          <span role="columnheader">{own.name}</span>
          <span role="columnheader" className="more">
            {own.versions}
          </span>
          <span role="columnheader" className="more">
            {own.age}
          </span>
          <span role="columnheader" className="more">
            {own.uses}
          </span>
          <span role="columnheader" className="more">
            {own.mayDo}
          </span>
        </div>
      </div>
      <div role="rowgroup" className="rows" style={{ height: keys.length * rowHeight }}>
        {drawn.map(({ key, at }) => (
          <KeyRow key={key.name} {...{ vaultid, at }} shown={key} onFocus={setFocused} />
        ))}
      </div>
    </div>
  )
}

interface RowProps {
  readonly vaultid: string
  readonly shown: ListedKey
  readonly at: number
  /** Called with the name of the key that gets the focus, and with undefined when it is lost. */
  readonly onFocus: (name: string | undefined) => void
}

function KeyRow({ vaultid, shown, at, onFocus }: RowProps) {
  return (
    <div role="row" aria-rowindex={at + 2} className="row" style={{ transform: `translateY(${at * rowHeight}px)` }}>
      <span role="rowheader" className="first">
        <KeyRound aria-hidden />
        <span className="texts">
          <a
            className="title"
            href={`#/vault/${vaultid}/keys/${encodeURIComponent(shown.name)}`}
            onFocus={() => onFocus(shown.name)}
            onBlur={() => onFocus(undefined)}
          >
            {shown.name}
          </a>
          <span className="soft brief">{[typeName(shown.type), shown.info].filter(Boolean).join(' · ')}</span>
        </span>
      </span>
      <span role="cell" className="more">
        {shown.oldest_version === shown.key_version
          ? shown.key_version
          : `${shown.oldest_version}–${shown.key_version}`}
      </span>
      <span role="cell" className="more">
        {shown.latest_created !== undefined && <RelativeMoment at={shown.latest_created} />}
      </span>
      <span role="cell" className="more">
        <UseMeter uses={shown.encryptions} most={shown.max_encryptions} />
      </span>
      <span role="cell" className="more">
        <Permissions of={shown} />
      </span>
    </div>
  )
}
