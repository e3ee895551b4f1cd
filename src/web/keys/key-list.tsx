import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import type { ListedKey } from '../interface/calls.ts'
import { useWordsOf } from '../words/spoken.tsx'
import { keysWords } from './keys-words.ts'
import { Moment } from './moment.tsx'
import { Permissions } from './permissions.tsx'
import { typeName } from './type-names.ts'
import { UseMeter } from './use-meter.tsx'

/** As in keys.css. */
const rowHeight = 60
/** More than a screen shows, and some above what is seen: the browser may scroll before they are drawn anew. */
const drawnRows = 70
const rowsAbove = 15

interface Props {
  readonly vaultid: string
  readonly label: string
  readonly keys: readonly ListedKey[]
}

/** Draws the rows that are seen, so that a thousand keys cost as much as fifty. */
export function KeyList({ vaultid, label, keys }: Props) {
  const own = useWordsOf(keysWords)
  const [top, setTop] = useState(0)
  const [focused, setFocused] = useState<string>()
  const first = Math.max(0, Math.min(top - rowsAbove, keys.length - drawnRows))
  const drawn = keys
    .map((key, at) => ({ key, at }))
    // The row with the focus stays, however far one scrolls: without it the focus would go to another, and the list back there.
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
  /** With its name where it gets the focus, without where it loses it. */
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
        {shown.latest_created !== undefined && <Moment at={shown.latest_created} />}
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
