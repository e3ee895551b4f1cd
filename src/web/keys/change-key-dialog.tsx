import { useState } from 'react'
import { useDone } from '../controls/change-done.ts'
import { changed } from '../controls/changed-members.ts'
import { FormDialog } from '../controls/form-dialog.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { call } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import type { KeyDialogProps } from './key-dialog.ts'
import { keyWords } from './key-words.ts'
import { keysOf } from './keys-reads.ts'
import { keysWords } from './keys-words.ts'
import { daysOfSeconds, secondsOfDays } from './new-key-draft.ts'
import { NativeCheckbox } from '../controls/native-checkbox.tsx'

/** Changes the properties of a key. A property that can only be turned off is offered as that. */
export function ChangeKeyDialog({ vaultid, shown: present, onClose }: KeyDialogProps) {
  const own = useWordsOf(keysWords)
  const ofKey = useWordsOf(keyWords)
  const done = useDone(keysOf(vaultid))
  // The key at the opening of the dialog, because the page may load it again meanwhile.
  const [shown] = useState(present)
  const { name } = shown
  const period = daysOfSeconds(shown.auto_rotate_period)
  const [info, setInfo] = useState(shown.info)
  const [rotateAfter, setRotateAfter] = useState(period)
  const [mayDelete, setMayDelete] = useState(shown.allow_delete === 'true')
  const [endsExport, setEndsExport] = useState(false)
  const [endsBackup, setEndsBackup] = useState(false)
  async function change(signal: AbortSignal): Promise<void> {
    const body = {
      ...changed({ info, allow_delete: mayDelete }, { info: shown.info, allow_delete: shown.allow_delete === 'true' }),
      ...(rotateAfter !== period && { auto_rotate_period: secondsOfDays(rotateAfter) }),
      ...(endsExport && { allow_export: false }),
      ...(endsBackup && { allow_backup: false }),
    }
    if (Object.keys(body).length === 0) return
    await call('transparent.key.update', { params: { vaultid, name }, body, signal })
    await done(ofKey.changed)
  }
  return (
    <FormDialog
      title={ofKey.changeTitle(name)}
      submitText={own.save}
      isDangerous={endsExport || endsBackup}
      onSubmit={change}
      onClose={onClose}
    >
      <TextInput
        label={own.purpose}
        description={own.purposeHelp}
        rows={2}
        maxLength={4_096}
        value={info}
        onChange={setInfo}
      />
      <TextInput
        label={own.rotateAfter}
        description={own.rotateHelp}
        inputMode="numeric"
        value={rotateAfter}
        onChange={setRotateAfter}
      />
      <fieldset>
        <legend>{own.mayBe}</legend>
        <NativeCheckbox label={own.allowDelete} isChecked={mayDelete} onChange={setMayDelete} />
        {shown.allow_export === 'true' && (
          <NativeCheckbox label={ofKey.turnOffExport} isChecked={endsExport} onChange={setEndsExport} />
        )}
        {shown.allow_backup === 'true' && (
          <NativeCheckbox label={ofKey.turnOffBackup} isChecked={endsBackup} onChange={setEndsBackup} />
        )}
      </fieldset>
    </FormDialog>
  )
}
