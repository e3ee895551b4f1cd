import { Copy } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { announce } from '../controls/announcement.tsx'
import { copyOpen, copySecret } from '../controls/clipboard.ts'
import { useWordsOf } from '../words/language.tsx'
import { benchWords } from './bench-words.ts'

interface Props {
  readonly what: string
  readonly text: string
  /** A secret is removed from the clipboard after a while. */
  readonly isSecret?: boolean
}

export function CopyButton({ what, text, isSecret = false }: Props) {
  const own = useWordsOf(benchWords)
  async function copy(): Promise<void> {
    if (isSecret) await copySecret(what, text)
    else if (await copyOpen(text)) announce(own.copied(what))
  }
  return (
    <Button className="button small" aria-label={own.copyOf(what)} onPress={() => void copy()}>
      <Copy aria-hidden />
      {own.copy}
    </Button>
  )
}
