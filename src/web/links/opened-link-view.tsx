import { Copy, Eye } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { useAction } from '../controls/action.ts'
import { copySecret } from '../controls/clipboard.ts'
import { useIsSlow } from '../controls/slow-work.ts'
import { ErrorMessage } from '../controls/error-message.tsx'
import { ViewTitle } from '../controls/view-title.tsx'
import { call } from '../interface/calls.ts'
import { hasNumber, mayBeDone } from '../interface/refusal.ts'
import { useWordsOf } from '../words/language.tsx'
import { openText, partsOf } from './link-cipher.ts'
import { linkWords } from './link-words.ts'
import './links.css'

interface Props {
  readonly opener: string | undefined
  /** The key, which is never sent. */
  readonly secret: string | undefined
}

/** Number of the fault `link.not_found`. */
const linkNotFound = 1760

/**
 * Opens a link without a login. Nothing is fetched before the person asks for it, so that a program which previews the
 * page does not use up the link.
 */
export function OpenedLinkView({ opener, secret }: Props) {
  const words = useWordsOf(linkWords)
  const [parts] = useState(() => partsOf(opener, secret))
  const [text, setText] = useState<string>()
  const [isUnreadable, setIsUnreadable] = useState(false)
  const { isUnderWay, error, run } = useAction()
  const isSlow = useIsSlow(isUnderWay)
  useEffect(() => {
    // Removes the key from the browser's history.
    history.replaceState(null, '', '#/link')
  }, [])
  useEffect(() => {
    const hide = (): void => setText(undefined)
    addEventListener('pagehide', hide)
    return () => removeEventListener('pagehide', hide)
  }, [])

  async function show(): Promise<void> {
    if (parts === undefined) return
    await run(async (signal) => {
      const { CALLINFO } = await call('link.open', { body: { opener: parts.opener }, signal })
      await openText({ ciphertext: CALLINFO.ciphertext, key: parts.key }).then(setText, () => setIsUnreadable(true))
    })
  }
  const isGone = hasNumber(error, linkNotFound)
  return (
    <div className="page opened-link">
      <ViewTitle text={words.forYou} />
      {parts === undefined ? (
        <p role="alert">{words.broken}</p>
      ) : isGone || isUnreadable ? (
        <p role="alert">{isGone ? words.gone : words.unreadable}</p>
      ) : text === undefined ? (
        <>
          <p>{words.forYouText}</p>
          {error !== undefined && (
            <ErrorMessage error={error} advice={mayBeDone(error) ? words.perhapsOpened : undefined} />
          )}
          <p className="buttons">
            <Button className="button primary" onPress={() => void show()}>
              <Eye aria-hidden />
              {isSlow ? words.opening : words.open}
            </Button>
          </p>
        </>
      ) : (
        <>
          <output className="value text" aria-label={words.secret}>
            {text}
          </output>
          <p className="soft">{words.keep}</p>
          <p className="buttons">
            <Button className="button primary" onPress={() => void copySecret(words.secret, text)}>
              <Copy aria-hidden />
              {words.copy}
            </Button>
          </p>
        </>
      )}
    </div>
  )
}
