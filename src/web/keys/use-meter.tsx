import { useWords, useWordsOf } from '../words/language.tsx'
import { keysWords } from './keys-words.ts'

interface Props {
  readonly uses: string | undefined
  readonly most: string | undefined
}

/** The share of safe encryptions at which the appliance rotates a key. */
const nearlyUsedUp = 0.9

/** The share of a key's safe encryptions that is used or reserved. Keys that do not encrypt have no counter. */
export function UseMeter({ uses, most }: Props) {
  const { locale } = useWords()
  const own = useWordsOf(keysWords)
  if (uses === undefined || most === undefined) return <span className="soft">{own.notCounted}</span>
  const brief = { notation: 'compact', maximumFractionDigits: 1 } as const
  const few = Number(uses).toLocaleString(locale, brief)
  const many = Number(most).toLocaleString(locale, brief)
  const whole = own.usesOf(Number(uses).toLocaleString(locale), Number(most).toLocaleString(locale))
  return (
    <span className="uses" title={whole}>
      <meter
        min={0}
        max={Number(most)}
        high={Number(most) * nearlyUsedUp}
        value={Number(uses)}
        aria-label={own.usesOf(few, many)}
      />
      <span className="soft">{own.shareOf(few, many)}</span>
    </span>
  )
}
