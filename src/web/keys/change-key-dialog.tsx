import { useDone } from '../controls/change-done.ts'
import { changed } from '../controls/changed-members.ts'
import { FormDialog } from '../controls/form-dialog.tsx'
import { TypingForm } from '../controls/kept-typing.ts'
import { TextInput } from '../controls/text-input.tsx'
import { call, type ListedKey } from '../interface/calls.ts'
import { useTypedState } from '../session/typed-state.ts'
import { useWordsOf } from '../words/language.tsx'
import type { KeyDialogProps } from './key-dialog.ts'
import { keyWords } from './key-words.ts'
import { keysOf } from './keys-reads.ts'
import { keysWords } from './keys-words.ts'
import { daysOfSeconds, secondsOfDays } from './new-key-draft.ts'
import { NativeCheckbox } from '../controls/native-checkbox.tsx'

interface Editing {
  /** The key at the opening of the dialog, because the page may load it again meanwhile. */
  readonly shown: ListedKey
  readonly info: string
  /** Days; empty for no rotation. */
  readonly rotateAfter: string
  readonly mayDelete: boolean
  readonly endsExport: boolean
  readonly endsBackup: boolean
}

const editingOf = (shown: ListedKey): Editing => ({
  shown,
  info: shown.info,
  rotateAfter: daysOfSeconds(shown.auto_rotate_period),
  mayDelete: shown.allow_delete === 'true',
  endsExport: false,
  endsBackup: false,
})

export const keyTyping = new TypingForm<Editing>()

/** Changes the properties of a key. A property that can only be turned off is offered as that. */
export function ChangeKeyDialog({ vaultid, shown: present, onClose }: KeyDialogProps) {
  const own = useWordsOf(keysWords)
  const ofKey = useWordsOf(keyWords)
  const done = useDone(keysOf(vaultid))
  const { name } = present
  const [editing, setEditing] = useTypedState(keyTyping, `${vaultid}/${name}`, editingOf(present))
  const { shown, info, rotateAfter, mayDelete, endsExport, endsBackup } = editing
  const onChange =
    <Member extends keyof Editing>(member: Member) =>
    (value: Editing[Member]): void =>
      setEditing({ ...editing, [member]: value })
  async function change(signal: AbortSignal): Promise<void> {
    const body = {
      ...changed({ info, allow_delete: mayDelete }, { info: shown.info, allow_delete: shown.allow_delete === 'true' }),
      ...(rotateAfter !== daysOfSeconds(shown.auto_rotate_period) && {
        auto_rotate_period: secondsOfDays(rotateAfter),
      }),
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
        onChange={onChange('info')}
      />
      <TextInput
        label={own.rotateAfter}
        description={own.rotateHelp}
        inputMode="numeric"
        value={rotateAfter}
        onChange={onChange('rotateAfter')}
      />
      <fieldset>
        <legend>{own.mayBe}</legend>
        <NativeCheckbox label={own.allowDelete} isChecked={mayDelete} onChange={onChange('mayDelete')} />
        {shown.allow_export === 'true' && (
          <NativeCheckbox label={ofKey.turnOffExport} isChecked={endsExport} onChange={onChange('endsExport')} />
        )}
        {shown.allow_backup === 'true' && (
          <NativeCheckbox label={ofKey.turnOffBackup} isChecked={endsBackup} onChange={onChange('endsBackup')} />
        )}
      </fieldset>
    </FormDialog>
  )
}
