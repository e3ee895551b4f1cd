import { ClipboardCheck, ClipboardX } from 'lucide-react'
import { useEffect, useRef } from 'react'
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
          {(copied.state === 'held' || copied.state === 'waits') && <EmptyingButton />}
        </div>
      )}
    </div>
  )
}

/**
 * Gets the focus by F6, as React Aria's toasts do, because Tab stays in an open dialog. From here F6 goes on into the
 * browser's own bars.
 */
function EmptyingButton() {
  const words = useWords()
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      const isModified = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey
      if (event.key !== 'F6' || isModified || document.activeElement === button.current) return
      event.preventDefault()
      button.current?.focus()
    }
    addEventListener('keydown', hear)
    return () => removeEventListener('keydown', hear)
  }, [])
  return (
    <Button ref={button} className="button small" aria-keyshortcuts="F6" onPress={() => void emptyClipboard()}>
      {words.emptyNow}
    </Button>
  )
}

const sentenceFor = (copied: Copied, words: Words): string =>
  copied.state === 'held'
    ? words.copied(copied.field)
    : { waits: words.clipboardWaits, emptied: words.clipboardEmptied, refused: words.clipboardRefused }[copied.state]
