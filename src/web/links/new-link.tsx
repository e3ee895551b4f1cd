import { useQueryClient } from '@tanstack/react-query'
import { Copy, Link2 } from 'lucide-react'
import { useEffect, useState, type FormEvent } from 'react'
import { Button } from 'react-aria-components/Button'
import { Form } from 'react-aria-components/Form'
import { useAction, type Action } from '../controls/action.ts'
import { Choice } from '../controls/choice.tsx'
import { copySecret } from '../controls/clipboard.ts'
import { useHeldAddress } from '../controls/held-address.tsx'
import { TypingForm } from '../controls/kept-typing.ts'
import { useIsSlow } from '../controls/slow-work.ts'
import { TextInput } from '../controls/text-input.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { call } from '../interface/calls.ts'
import { useSession } from '../session/session.tsx'
import { useWordsOf } from '../words/language.tsx'
import { linkAddress, sealedLength, sealText } from './link-cipher.ts'
import { linkWords } from './link-words.ts'

interface Props {
  readonly limits: { readonly bytes: number; readonly lifetime: number }
  /** Called after a link is created, which is then the first of the list. */
  readonly onMade?: () => void
  /** Called with whether a link was created that is not yet copied. */
  readonly onUncopied?: (isUncopied: boolean) => void
  /** A stored secret to share instead of typed text. It is read when the link is created. */
  readonly stored?: StoredSecret
}

export interface StoredSecret {
  readonly mayRead: (run: Action['run']) => Promise<boolean>
  readonly read: (signal: AbortSignal) => Promise<string>
}

interface Typed {
  readonly secret: string
  readonly label: string
}
const nothing: Typed = { secret: '', label: '' }
const typingForm = new TypingForm<Typed>()

/** What is typed. `isKept`: until the person logs in again, where the session ends. */
function useTyped(isKept: boolean) {
  const { person } = useSession()
  const userid = isKept ? person?.userid : undefined
  const state = useState(() => typingForm.at(userid, '') ?? nothing)
  const [typed] = state
  typingForm.useTyping(userid, '', typed.secret === '' ? undefined : typed)
  return state
}

const seconds = { hour: 3_600, day: 86_400, week: 604_800 } as const
type Lifetime = keyof typeof seconds
const lifetimes: readonly Lifetime[] = ['hour', 'day', 'week']

/** The form for a link, and then the link, which is shown only once. */
export function NewLink({ limits, onMade, onUncopied, stored }: Props) {
  const words = useWordsOf(linkWords)
  const queries = useQueryClient()
  const offered = lifetimes.filter((one) => seconds[one] <= limits.lifetime)
  const [{ secret, label }, setTyped] = useTyped(stored === undefined)
  const [lifetime, setLifetime] = useState<Lifetime>(offered.includes('day') ? 'day' : 'hour')
  const [address, setAddress] = useState<string>()
  const { isUnderWay, error, run } = useAction()
  const isSlow = useIsSlow(isUnderWay)
  const isLonger = (text: string): boolean => sealedLength(text) > limits.bytes
  const [isStoredTooLong, setIsStoredTooLong] = useState(false)
  const isTooLong = isStoredTooLong || isLonger(secret)

  async function make(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    if (isUnderWay || isTooLong || (stored && !(await stored.mayRead(run)))) return
    await run(async (signal) => {
      const text = stored ? await stored.read(signal) : secret
      if (isLonger(text)) return setIsStoredTooLong(true)
      const { ciphertext, key } = await sealText(text)
      const body = { ciphertext, label, lifetime: Math.min(seconds[lifetime], limits.lifetime) }
      const { CALLINFO } = await call('link.create', { body, signal })
      setAddress(linkAddress(location.origin, { opener: CALLINFO.opener, key }))
      setTyped(nothing)
      onMade?.()
      await queries.invalidateQueries({ queryKey: ['links'] })
    })
  }
  if (address !== undefined)
    return (
      <MadeLink
        address={address}
        onUncopied={onUncopied}
        onAnother={stored ? undefined : () => setAddress(undefined)}
      />
    )
  return (
    <Form className="form" onSubmit={(event) => void make(event)}>
      {!stored && (
        <TypedSecret
          value={secret}
          onChange={(text) => setTyped({ secret: text, label })}
          error={isTooLong ? words.tooLong : undefined}
        />
      )}
      {stored && isTooLong && (
        <p className="wrong" role="alert">
          {words.tooLong}
        </p>
      )}
      <TextInput
        label={words.label}
        description={words.labelHelp}
        maxLength={128}
        autoComplete="off"
        autoFocus={stored !== undefined}
        value={label}
        onChange={(text) => setTyped({ secret, label: text })}
      />
      <LifetimeChoice offered={offered} value={lifetime} onChange={setLifetime} />
      {error !== undefined && <ErrorMessage error={error} />}
      <Button type="submit" className="button primary">
        <Link2 aria-hidden />
        {isSlow ? words.making : words.make}
      </Button>
    </Form>
  )
}

interface SecretProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
}

function TypedSecret(props: SecretProps) {
  const words = useWordsOf(linkWords)
  return (
    <TextInput
      {...props}
      label={words.secret}
      description={words.secretHelp}
      kind="code"
      rows={4}
      isRequired
      autoComplete="off"
    />
  )
}

interface LifetimeProps {
  readonly offered: readonly Lifetime[]
  readonly value: Lifetime
  readonly onChange: (value: Lifetime) => void
}

function LifetimeChoice({ offered, ...choice }: LifetimeProps) {
  const words = useWordsOf(linkWords)
  if (offered.length < 2) return null
  return <Choice {...choice} label={words.lifetime} options={offered.map((value) => ({ value, text: words[value] }))} />
}

interface MadeProps {
  readonly address: string
  readonly onUncopied: ((isUncopied: boolean) => void) | undefined
  readonly onAnother: (() => void) | undefined
}

/** A new link. It is a secret, so it is removed from the clipboard after a while. */
function MadeLink({ address, onUncopied, onAnother }: MadeProps) {
  const words = useWordsOf(linkWords)
  const [isCopied, setIsCopied] = useState(false)
  const question = useHeldAddress(!isCopied, { asked: words.leaving })
  useEffect(() => onUncopied?.(!isCopied), [onUncopied, isCopied])
  async function copy(): Promise<void> {
    if (await copySecret(words.made, address)) setIsCopied(true)
  }
  return (
    <section className="card made-link" aria-labelledby="made-link">
      <h2 id="made-link">{words.made}</h2>
      <output className="value code" aria-label={words.made} onCopy={() => setIsCopied(true)}>
        {address}
      </output>
      <p className="soft">{words.madeHelp}</p>
      <p className="buttons">
        <Button className="button primary" onPress={() => void copy()}>
          <Copy aria-hidden />
          {words.copyLink}
        </Button>
        {onAnother && (
          <Button className="button" onPress={onAnother}>
            {words.another}
          </Button>
        )}
      </p>
      {question}
    </section>
  )
}
