import { useEffect, useEffectEvent, useState } from 'react'
import { useUnmountSignal } from '../controls/unmount-signal.ts'
import type { StoredTemplate } from '../interface/calls.ts'
import { sentenceOf } from '../words/error-sentence.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { editingWords } from './editing-words.ts'
import { checkSize } from './storing.ts'

/** The chosen file of a form, with the reason why it cannot be sent. */
export function useChosenFile({ info }: StoredTemplate, initial: File | undefined) {
  const words = useWords()
  const own = useWordsOf(editingWords)
  const [file, setFile] = useState(initial)
  const [fileError, setFileError] = useState<string>()
  const unmounted = useUnmountSignal()

  async function choose(next: File): Promise<void> {
    setFile(next)
    const error = errorOf(next, info.file ?? '*')
    setFileError(error)
    if (error !== undefined) return
    const { signal } = unmounted.current
    await checkSize(next, signal).catch((refusal: unknown) => {
      if (!signal.aborted) setFileError(sentenceOf(refusal, words).text)
    })
  }
  function errorOf({ name, size }: File, endings: string): string | undefined {
    const ending = /[^.]\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
    if (endings !== '*' && !endings.split(',').includes(ending)) return own.wrongFile(endings.replaceAll(',', ', '))
    return size === 0 ? own.emptyFile : undefined
  }
  const chooseFirst = useEffectEvent(choose)
  useEffect(() => {
    if (initial) void chooseFirst(initial)
  }, [initial])
  return {
    file,
    fileError,
    choose: (next: File) => void choose(next),
    /** Whether the form can be sent with the present choice. */
    check: (isNeeded: boolean): boolean => {
      if (fileError !== undefined) return false
      if (!isNeeded || file !== undefined) return true
      setFileError(own.fileMissing)
      return false
    },
  }
}
