import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { SharedVault } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { actionWords } from './object-actions-words.ts'
import { handOver, useDroppedFiles } from './dropped-files.ts'

interface Props {
  readonly vault: SharedVault
  readonly folderid: string
  /** Name of the vault or of the shown folder. */
  readonly name: string
}

/** Adds objects to a vault: by a button, or by files that are dropped anywhere in the page. */
export function VaultEntrance(props: Props) {
  // Status 1 is Read.
  return Number(props.vault.status) > 1 ? <Entrance {...props} /> : null
}

function Entrance({ vault, folderid, name }: Props) {
  const words = useWordsOf(actionWords)
  const [, go] = useLocation()
  const [isOver, setIsOver] = useState(false)
  const address = `/vault/${vault.id}/${folderid}/new`
  useDroppedFiles((files) => {
    handOver(files)
    go(address)
  }, setIsOver)
  return (
    <>
      <a className="button primary small" href={`#${address}`}>
        <Plus aria-hidden />
        {words.newObject}
      </a>
      {isOver && <p className="drop-here">{words.dropHere(name)}</p>}
    </>
  )
}
