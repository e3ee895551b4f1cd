import { ClipboardCheck, ClipboardX } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { emptyClipboard, useCopied, type Copied } from './clipboard.ts'
import type { Words } from '../words/en.ts'
import { useWords } from '../words/language.tsx'

/** Says that the clipboard holds a secret, and when it will be emptied. */
export function ClipboardNotice() {
  const words = useWords()
  const copied = useCopied()
  return (
    <div role="status">
      {copied && (
        <div className="card">
          {copied.state === 'refused' ? <ClipboardX aria-hidden /> : <ClipboardCheck aria-hidden />}
          <p>
            {sentenceFor(copied, words)}
            {/* Hidden from screen readers, which would read out every second. */}
            {copied.state === 'held' && <span aria-hidden="true"> {words.clipboardEmptiedIn(copied.secondsLeft)}</span>}
          </p>
          {(copied.state === 'held' || copied.state === 'waits') && (
            <Button className="button small" onPress={() => void emptyClipboard()}>
              {words.emptyNow}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

const sentenceFor = (copied: Copied, words: Words): string =>
  copied.state === 'held'
    ? words.copied(copied.field)
    : { waits: words.clipboardWaits, emptied: words.clipboardEmptied, refused: words.clipboardRefused }[copied.state]
