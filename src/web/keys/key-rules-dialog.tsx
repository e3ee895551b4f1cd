import { useDone } from '../controls/change-done.ts'
import { changed } from '../controls/changed-members.ts'
import { Choice } from '../controls/choice.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { TypingForm } from '../controls/kept-typing.ts'
import { call, type VaultKeyRules } from '../interface/calls.ts'
import { useTypedState } from '../session/typed-state.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { keysOf } from './keys-reads.ts'
import { keysWords } from './keys-words.ts'
import { NativeCheckbox } from '../controls/native-checkbox.tsx'

interface Props {
  readonly vaultid: string
  readonly rules: VaultKeyRules
  readonly onClose: () => void
}

const permissions = ['Read', 'Write', 'Admin'] as const

type Settings = Required<Pick<VaultKeyRules, 'signing_permission' | 'create_on_encrypt' | 'strict'>>
/** The rules at the opening of the dialog, because the page may load them again meanwhile, and as they are to be. */
interface RulesEditing {
  readonly shown: Settings
  readonly typed: Settings
}
export const rulesTyping = new TypingForm<RulesEditing>()

/** Changes the rules of a vault for creating and using keys. */
export function KeyRulesDialog({ vaultid, rules, onClose }: Props) {
  const words = useWords()
  const own = useWordsOf(keysWords)
  const done = useDone(keysOf(vaultid))
  const { signing_permission = 'Write', create_on_encrypt = false, strict: isStrict = false } = rules
  const present = { signing_permission, create_on_encrypt, strict: isStrict }
  const [{ shown, typed }, setEditing] = useTypedState(rulesTyping, vaultid, { shown: present, typed: present })
  const onChange = (change: Partial<Settings>): void => setEditing({ shown, typed: { ...typed, ...change } })
  async function send(signal: AbortSignal): Promise<void> {
    const body = changed(typed, shown)
    if (Object.keys(body).length === 0) return
    await call('transparent.settings', { params: { vaultid }, body, signal })
    await done(own.saved)
  }
  return (
    <FormDialog title={own.rulesTitle} submitText={own.save} onSubmit={send} onClose={onClose}>
      <Choice
        label={own.signingPermission}
        value={typed.signing_permission}
        options={permissions.map((value) => ({ value, text: words.rights[value] ?? value }))}
        onChange={(signing) => onChange({ signing_permission: signing })}
      />
      <NativeCheckbox
        label={own.createOnEncrypt}
        isChecked={typed.create_on_encrypt}
        onChange={(makes) => onChange({ create_on_encrypt: makes })}
      />
      <NativeCheckbox label={own.strict} isChecked={typed.strict} onChange={(strict) => onChange({ strict })} />
    </FormDialog>
  )
}
