import { Copy, Eye, EyeOff, Link2, Timer } from 'lucide-react'
import { useEffect, useMemo, useState, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { Button } from 'react-aria-components/Button'
import type { MayRead } from './alarm-question.tsx'
import type { Field } from '../interface/calls.ts'
import { copySecret } from '../controls/clipboard.ts'
import { useAction } from '../controls/action.ts'
import { ErrorMessage } from '../controls/error-message.tsx'
import { useHasLinks } from '../me/me-reads.ts'
import { TotpCode } from './totp-code.tsx'
import { isForSeeds, seedIn, totpSeedOf } from './totp-seed.ts'
import { useIsSlow } from '../controls/slow-work.ts'
import { partOf } from '../controls/view-of.tsx'
import { useWords } from '../words/language.tsx'

const [ShareOnce] = partOf(async () => (await import('../links/share-once.tsx')).ShareOnce)

interface Props {
  readonly field: Field
  /** Reads the secret by a call that leaves an audit record. */
  readonly fetchSecret: (signal: AbortSignal) => Promise<string>
  readonly mayRead: MayRead
}

interface Held {
  readonly secret: string
  /** False while only the code that is made from the secret is shown. */
  readonly isShown: boolean
}

/**
 * An encrypted field. It shows dots until the person asks for the secret, which leaves an audit record. Hiding it makes
 * the page forget the secret.
 */
export function SecretValue({ field, fetchSecret, mayRead }: Props) {
  const words = useWords()
  const { translation } = field
  const [held, setHeld] = useHeldSecret()
  const [isSharing, setIsSharing] = useState(false)
  const { isUnderWay, error, run } = useAction()
  const hasLinks = useHasLinks()

  async function read(use: (secret: string) => unknown): Promise<void> {
    if (isUnderWay || !(await mayRead(run))) return
    await run(async (signal) => {
      const secret = await fetchSecret(signal)
      // A logout empties the clipboard, so nothing is copied after it.
      if (!signal.aborted) await use(secret)
    })
  }
  const show = (secret: string): void => setHeld({ secret, isShown: true })
  const copy = (secret: string): Promise<boolean> => copySecret(translation, secret)
  const hide = (): void => setHeld(undefined)
  const value = held?.isShown ? held.secret : undefined
  const hasCodes = isForSeeds(field)
  // An empty secret has no code and is shown as empty.
  const showCode = (secret: string): void => setHeld({ secret, isShown: secret === '' })
  return (
    <div className="secret">
      <Shown field={field} value={value} isUnderWay={isUnderWay} />
      <span className="buttons">
        {hasCodes && value === undefined && (
          <Act
            icon={<Timer aria-hidden />}
            name={held ? words.hideCodeOf(translation) : words.showCodeOf(translation)}
            text={held ? words.hideCode : words.showCode}
            onPress={() => (held ? hide() : void read(showCode))}
          />
        )}
        <Act
          icon={value === undefined ? <Eye aria-hidden /> : <EyeOff aria-hidden />}
          name={value === undefined ? words.showField(translation) : words.hideField(translation)}
          text={value === undefined ? words.show : words.hide}
          onPress={() => (value === undefined ? void read(show) : hide())}
        />
        <Act
          icon={<Copy aria-hidden />}
          name={words.copyField(translation)}
          text={words.copy}
          onPress={() => void (value === undefined ? read(copy) : copy(value))}
        />
        {hasLinks && (
          <Act
            icon={<Link2 aria-hidden />}
            name={words.shareField(translation)}
            text={words.share}
            onPress={() => setIsSharing(true)}
          />
        )}
      </span>
      {error !== undefined && <ErrorMessage error={error} />}
      {held && <Code label={translation} secret={held.secret} isSeed={hasCodes} />}
      {isSharing && (
        <ShareOnce field={translation} stored={{ mayRead, read: fetchSecret }} onClose={() => setIsSharing(false)} />
      )}
    </div>
  )
}

/** The secret that the page holds, until the person leaves the page. */
function useHeldSecret() {
  const state = useState<Held>()
  const [, setHeld] = state
  useEffect(() => {
    // The browser may keep the page in its cache and show it again.
    const forget = (): void => flushSync(() => setHeld(undefined))
    addEventListener('pagehide', forget)
    return () => removeEventListener('pagehide', forget)
  }, [setHeld])
  return state
}

interface ShownProps {
  readonly field: Field
  readonly value: string | undefined
  readonly isUnderWay: boolean
}

function Shown({ field, value, isUnderWay }: ShownProps) {
  const words = useWords()
  const isSlow = useIsSlow(isUnderWay)
  return value === undefined ? (
    <span className="value dots">
      {!isSlow && <span aria-hidden="true">••••••••••••</span>}
      {!isSlow && <span className="unseen">{words.hidden}</span>}
      <span role="status">{isSlow ? words.fetching : ''}</span>
    </span>
  ) : (
    <output className={field.type === 'textarea' ? 'value text' : 'value code'}>
      {value === '' ? <span className="soft">{words.empty}</span> : value}
    </output>
  )
}

interface CodeProps {
  readonly label: string
  readonly secret: string
  /** Whether the field is meant for seeds. Another secret is a seed only where it is an `otpauth:` address. */
  readonly isSeed: boolean
}

function Code({ label, secret, isSeed }: CodeProps) {
  const words = useWords()
  const seed = useMemo(() => (isSeed ? seedIn(secret) : totpSeedOf(secret)), [secret, isSeed])
  if (seed) return <TotpCode seed={seed} label={label} />
  return isSeed && secret !== '' && <p role="status">{words.noSeed}</p>
}

interface ActProps {
  readonly icon: ReactNode
  readonly name: string
  readonly text: string
  readonly onPress: () => void
}

const Act = ({ icon, name, text, onPress }: ActProps) => (
  <Button className="button small" aria-label={name} onPress={onPress}>
    {icon}
    {text}
  </Button>
)
