import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { useDone } from '../controls/change-done.ts'
import { FormDialog } from '../controls/form-dialog.tsx'
import { Question } from '../controls/question.tsx'
import { call } from '../interface/calls.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import type { KeyDialogProps } from './key-dialog.ts'
import { keyWords } from './key-words.ts'
import { keysOf } from './keys-reads.ts'
import { SelectInput } from '../controls/select-input.tsx'

/** The numbers from the first to the last, as options. */
const numbered = (first: number, last: number) =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => String(first + at)).map((value) => ({
    value,
    text: value,
  }))

/** Sets the oldest versions with which a key encrypts and decrypts. */
export function LimitVersionsDialog({ vaultid, shown, onClose }: KeyDialogProps) {
  const own = useWordsOf(keyWords)
  const done = useDone(keysOf(vaultid))
  const [encrypting, setEncrypting] = useState(shown.min_encryption_version)
  const [decrypting, setDecrypting] = useState(shown.min_decryption_version)
  const { name } = shown
  const options = numbered(Number(shown.oldest_version), Number(shown.key_version))
  async function limit(signal: AbortSignal): Promise<void> {
    const body = { min_encryption_version: encrypting, min_decryption_version: decrypting }
    await call('transparent.key.update', { params: { vaultid, name }, body, signal })
    await done(own.changed)
  }
  return (
    <FormDialog title={own.limitTitle(name)} submitText={own.limit} onSubmit={limit} onClose={onClose}>
      <p>{own.limitText}</p>
      <SelectInput label={own.oldestEncrypting} value={encrypting} options={options} onChange={setEncrypting} />
      <SelectInput label={own.oldestDecrypting} value={decrypting} options={options} onChange={setDecrypting} />
    </FormDialog>
  )
}

/** Destroys versions that the limits already exclude from use. */
export function TrimVersionsDialog({ vaultid, shown, onClose }: KeyDialogProps) {
  const words = useWords()
  const own = useWordsOf(keyWords)
  const done = useDone(keysOf(vaultid))
  const { name } = shown
  const highest = Math.min(Number(shown.min_encryption_version), Number(shown.min_decryption_version))
  const [oldest, setOldest] = useState(String(highest))
  const options = numbered(Number(shown.oldest_version) + 1, highest)
  async function trim(signal: AbortSignal): Promise<void> {
    const body = { min_available_version: oldest }
    const { CALLINFO } = await call('transparent.key.trim', { params: { vaultid, name }, body, signal })
    await done(own.trimmed(CALLINFO.oldest_version))
  }
  if (options.length === 0)
    return (
      <Question
        title={own.trim}
        onClose={onClose}
        actions={
          <Button className="button" autoFocus onPress={onClose}>
            {words.close}
          </Button>
        }
      >
        <p>{own.trimNothing}</p>
      </Question>
    )
  return (
    <FormDialog title={own.trimTitle(name)} submitText={own.destroy} isDangerous onSubmit={trim} onClose={onClose}>
      <p>{own.trimText}</p>
      <SelectInput label={own.oldestLeft} value={oldest} options={options} onChange={setOldest} />
    </FormDialog>
  )
}
