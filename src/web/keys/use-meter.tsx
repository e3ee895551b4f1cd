import { useWords, useWordsOf } from '../words/language.tsx'
import { keysWords } from './keys-words.ts'

interface Props {
  readonly uses: string | undefined
  readonly most: string | undefined
}

/** The share of safe encryptions at which the appliance rotates a key. */
const nearlyUsedUp = 0.9

/**
 * The share of a key's safe encryptions that is used or reserved. It is a share, because the appliance reserves thousands
 * for the first use. Keys that do not encrypt have no counter.
 */
export function UseMeter({ uses, most }: Props) {
  const { locale, percent } = useWords()
  const own = useWordsOf(keysWords)
  if (uses === undefined || most === undefined) return <span className="soft">{own.notCounted}</span>
  const share = Number(uses) / Number(most)
  const isLittle = share > 0 && share < 0.01
  return (
    <span className="uses" title={own.usesOf(Number(uses).toLocaleString(locale), Number(most).toLocaleString(locale))}>
      <meter aria-hidden min={0} max={1} high={nearlyUsedUp} value={share} />
      <span className="soft">{isLittle ? own.littleUsed : own.used(percent(String(Math.floor(share * 100))))}</span>
    </span>
  )
}
