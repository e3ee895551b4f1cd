import { useState } from 'react'
import { announce } from '../controls/announcement.tsx'
import { Choice } from '../controls/choice.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { saveFile } from '../controls/file-download.ts'
import { TextInput } from '../controls/text-input.tsx'
import { call } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import type { KeyDialogProps } from './key-dialog.ts'
import { keyWords } from './key-words.ts'

/** Saves the material of an exportable key to a file. The page neither shows nor keeps it. */
export function ExportKeyDialog({ vaultid, shown, onClose }: KeyDialogProps) {
  const own = useWordsOf(keyWords)
  const [way, setWay] = useState<'wrapped' | 'open'>('wrapped')
  const [recipient, setRecipient] = useState('')
  const { name } = shown
  const isWrapped = way === 'wrapped'
  async function save(signal: AbortSignal): Promise<void> {
    const query = isWrapped ? { public_key: recipient } : {}
    const { KEYS } = await call('transparent.export', { params: { vaultid, name }, query, signal })
    saveFile(`${name}-export.json`, JSON.stringify(KEYS, undefined, 2))
    announce(own.fileSaved)
  }
  return (
    <FormDialog title={own.exportTitle(name)} submitText={own.export} isDangerous onSubmit={save} onClose={onClose}>
      {shown.allow_plaintext_export === 'true' && (
        <Choice
          label={own.exportHow}
          value={way}
          options={[
            { value: 'wrapped', text: own.exportWays.wrapped },
            { value: 'open', text: own.exportWays.open },
          ]}
          onChange={setWay}
        />
      )}
      <p>{isWrapped ? own.exportText : own.exportOpenText}</p>
      {isWrapped && (
        <TextInput
          label={own.recipient}
          description={own.recipientHelp}
          kind="code"
          rows={6}
          isRequired
          value={recipient}
          onChange={setRecipient}
        />
      )}
    </FormDialog>
  )
}
