import { Copy, Eye, EyeOff, Timer } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from 'react-aria-components/Button'
import type { MayRead } from './alarm-question.tsx'
import type { Field } from '../interface/calls.ts'
import { copySecret } from '../controls/clipboard.ts'
import { useAction } from '../controls/action.ts'
import { Trouble } from '../controls/trouble.tsx'
import { TotpCode } from './totp-code.tsx'
import { isForSeeds, seedIn, totpSeedOf } from './totp-seed.ts'
import { useLate } from '../controls/late.ts'
import { useWords } from '../words/spoken.tsx'

interface Props {
  readonly field: Field
  /** By a call that is recorded. */
  readonly fetchSecret: (signal: AbortSignal) => Promise<string>
  readonly mayRead: MayRead
}

/** An encrypted field: dots until it is asked for, by a call that is recorded. It is forgotten when it is hidden again. */
export function SecretValue({ field, fetchSecret, mayRead }: Props) {
  const words = useWords()
  const { translation } = field
  const [value, setValue] = useState<string>()
  /** Of which the code alone is shown. */
  const [unseen, setUnseen] = useState<string>()
  const { isUnderWay, error, run } = useAction()
  useEffect(() => {
    // The browser may keep the page as it is, and show it again.
    const hide = (): void =>
      flushSync(() => {
        setValue(undefined)
        setUnseen(undefined)
      })
    addEventListener('pagehide', hide)
    return () => removeEventListener('pagehide', hide)
  }, [])

  async function read(use: (secret: string) => void | Promise<void>): Promise<void> {
    if (isUnderWay || !(await mayRead(run))) return
    await run(async (signal) => {
      const secret = await fetchSecret(signal)
      // Not into the clipboard after the logout, which has emptied it.
      if (!signal.aborted) await use(secret)
    })
  }
  const keepUnseen = (secret: string): void => (secret === '' ? setValue(secret) : setUnseen(secret))
  const isShown = value !== undefined
  const hasCodes = isForSeeds(field)
  const known = value ?? unseen
  const seed = useMemo(
    () => (known === undefined ? undefined : hasCodes ? seedIn(known) : totpSeedOf(known)),
    [known, hasCodes],
  )
  const isLate = useLate(isUnderWay)
  return (
    <div className="secret">
      {isShown ? (
        <output className={field.type === 'textarea' ? 'value text' : 'value code'}>
          {value === '' ? <span className="soft">{words.empty}</span> : value}
        </output>
      ) : (
        <span className="value dots">
          {!isLate && <span aria-hidden="true">••••••••••••</span>}
          {!isLate && <span className="unseen">{words.hidden}</span>}
          <span role="status">{isLate ? words.fetching : ''}</span>
        </span>
      )}
      <span className="buttons">
        {hasCodes && !isShown && (
          <Button
            className="button small"
            aria-label={unseen === undefined ? words.showCodeOf(translation) : words.hideCodeOf(translation)}
            onPress={() => (unseen === undefined ? void read(keepUnseen) : setUnseen(undefined))}
          >
            <Timer aria-hidden />
            {unseen === undefined ? words.showCode : words.hideCode}
          </Button>
        )}
        <Button
          className="button small"
          aria-label={isShown ? words.hideField(translation) : words.showField(translation)}
          onPress={() => (isShown ? setValue(undefined) : void read(setValue))}
        >
          {isShown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
          {isShown ? words.hide : words.show}
        </Button>
        <Button
          className="button small"
          aria-label={words.copyField(translation)}
          onPress={() =>
            void (isShown ? copySecret(translation, value) : read((secret) => copySecret(translation, secret)))
          }
        >
          <Copy aria-hidden />
          {words.copy}
        </Button>
      </span>
      {error !== undefined && <Trouble error={error} />}
      {seed && <TotpCode seed={seed} label={translation} />}
      {hasCodes && known && !seed && <p role="status">{words.noSeed}</p>}
    </div>
  )
}
