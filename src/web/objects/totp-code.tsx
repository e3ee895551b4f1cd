import { Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { copySecret } from '../controls/clipboard.ts'
import { useWords } from '../words/language.tsx'
import { totpCodeAt, type TotpSeed } from './totp-seed.ts'

interface Props {
  readonly seed: TotpSeed
  /** Label of the field. */
  readonly label: string
}

/** The present code and the time left for it. The page computes it from a seed that the person asked for. */
export function TotpCode({ seed, label }: Props) {
  const words = useWords()
  const { periodSeconds } = seed
  const [seconds, setSeconds] = useState(() => Math.floor(Date.now() / 1000))
  const [code, setCode] = useState('')
  const step = Math.floor(seconds / periodSeconds)
  useEffect(() => {
    const timer = setInterval(() => setSeconds(Math.floor(Date.now() / 1000)), 250)
    return () => clearInterval(timer)
  }, [])
  useEffect(() => {
    let isGone = false
    void totpCodeAt(seed, step * periodSeconds).then((next) => {
      if (!isGone) setCode(next)
    })
    return () => void (isGone = true)
  }, [seed, step, periodSeconds])
  const left = periodSeconds - (seconds % periodSeconds)
  const half = Math.ceil(code.length / 2)
  return (
    <div className="totp">
      <output aria-label={words.codeOf(label)} className="code">
        {code.slice(0, half)} {code.slice(half)}
      </output>
      <meter min={0} max={periodSeconds} value={left} aria-label={words.codeChangesIn(left)} />
      <span aria-hidden="true" className="soft">
        {left} s
      </span>
      <Button
        className="button small"
        aria-label={words.copyField(words.codeOf(label))}
        onPress={() => void copySecret(words.codeOf(label), code)}
      >
        <Copy aria-hidden />
        {words.copy}
      </Button>
    </div>
  )
}
