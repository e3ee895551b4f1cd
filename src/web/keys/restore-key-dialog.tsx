import { useDone } from '../controls/change-done.ts'
import { FormDialog } from '../controls/form-dialog.tsx'
import { TypingForm } from '../controls/kept-typing.ts'
import { TextInput } from '../controls/text-input.tsx'
import { FileInput } from '../controls/file-input.tsx'
import { call } from '../interface/calls.ts'
import { useTypedState } from '../session/typed-state.ts'
import { useWordsOf } from '../words/language.tsx'
import { isKeyName } from '../interface/identifiers.ts'
import { keysOf } from './keys-reads.ts'
import { keysWords } from './keys-words.ts'
import { NativeCheckbox } from '../controls/native-checkbox.tsx'

interface Props {
  readonly vaultid: string
  readonly mayReplace: boolean
  readonly onClose: () => void
}

interface Restoring {
  readonly name: string
  readonly file: File | undefined
  readonly force: boolean
}

const nothing: Restoring = { name: '', file: undefined, force: false }
export const restoreTyping = new TypingForm<Restoring>()

/** Restores a key from a backup. */
export function RestoreKeyDialog({ vaultid, mayReplace, onClose }: Props) {
  const own = useWordsOf(keysWords)
  const done = useDone(keysOf(vaultid))
  const [typed, setTyped] = useTypedState(restoreTyping, vaultid, nothing)
  const { name, file, force } = typed
  const onType = (change: Partial<Restoring>): void => setTyped({ ...typed, ...change })

  async function send(signal: AbortSignal): Promise<void> {
    const backup = (await file?.text())?.trim() ?? ''
    const params = { vaultid, name: name.trim() }
    await call('transparent.restore', { params, body: { backup, force }, signal })
    await done(own.restored(params.name))
  }
  return (
    <FormDialog title={own.restoreTitle} submitText={own.restore} isDangerous={force} onSubmit={send} onClose={onClose}>
      <p>{own.restoreHelp}</p>
      <FileInput
        label={own.backupFile}
        isRequired
        file={file}
        onChoose={(chosen) =>
          onType({ file: chosen, name: name === '' ? (chosen?.name ?? '').replace(/\.backup$/, '') : name })
        }
      />
      <TextInput
        label={own.name}
        kind="code"
        isRequired
        autoComplete="off"
        validate={(typed) => (typed === '' || isKeyName(typed.trim()) ? undefined : own.badName)}
        value={name}
        onChange={(next) => onType({ name: next })}
      />
      {mayReplace && (
        <NativeCheckbox label={own.force} isChecked={force} onChange={(next) => onType({ force: next })} />
      )}
      {force && <p className="soft">{own.forceHelp}</p>}
    </FormDialog>
  )
}
