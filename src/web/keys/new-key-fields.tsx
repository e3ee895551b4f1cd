import type { OfferedType } from '../interface/calls.ts'
import { Choice } from '../controls/choice.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { useWordsOf } from '../words/language.tsx'
import { isKeyName } from '../interface/identifiers.ts'
import { keysWords } from './keys-words.ts'
import type { NewKeyDraft } from './new-key-draft.ts'
import { SelectInput } from '../controls/select-input.tsx'
import { NativeCheckbox } from '../controls/native-checkbox.tsx'
import { familyOf, purposeOf, typeName, usualTypes, type TypePurpose } from './type-names.ts'

interface Props {
  readonly draft: NewKeyDraft
  readonly types: readonly OfferedType[]
  /** Imported keys are always kept in the database. */
  readonly isImport: boolean
  readonly onChange: (change: Partial<NewKeyDraft>) => void
}

const purposes: readonly TypePurpose[] = ['encryption', 'signing', 'hmac']
const residencies = ['database', 'token'] as const

/** The fields for a new key. */
export function NewKeyFields({ draft, types, isImport, onChange }: Props) {
  const own = useWordsOf(keysWords)
  const purpose = purposeOf(draft.type)
  return (
    <>
      <TextInput
        label={own.name}
        description={own.nameHelp}
        kind="code"
        isRequired
        autoFocus
        autoComplete="off"
        maxLength={128}
        validate={(name) => (name === '' || isKeyName(name.trim()) ? undefined : own.badName)}
        value={draft.name}
        onChange={(name) => onChange({ name })}
      />
      <Choice
        label={own.kind}
        value={purpose}
        options={purposes.map((value) => ({ value, text: own.kinds[value] }))}
        onChange={(next) => onChange({ type: usualTypes[next] })}
      />
      <SelectInput
        label={own.type}
        value={draft.type}
        description={own.typeHelps[familyOf(draft.type)]}
        options={types.filter(({ type }) => purposeOf(type) === purpose).map((one) => optionOf(one, draft, own))}
        onChange={(type) => onChange({ type })}
      />
      <TextInput
        label={own.purpose}
        description={own.purposeHelp}
        rows={2}
        maxLength={4_096}
        value={draft.info}
        onChange={(info) => onChange({ info })}
      />
      {!isImport && (
        <>
          <Choice
            label={own.residency}
            value={draft.residency}
            options={residencies.map((value) => ({ value, text: own.residencies[value] }))}
            onChange={(residency) => onChange({ residency })}
          />
          <p className="soft">{own.residencyHelps[draft.residency]}</p>
        </>
      )}
      <Allowances draft={draft} onChange={onChange} />
      <TextInput
        label={own.rotateAfter}
        description={own.rotateHelp}
        inputMode="numeric"
        value={draft.rotateAfter}
        onChange={(rotateAfter) => onChange({ rotateAfter })}
      />
    </>
  )
}

function Allowances({ draft, onChange }: Pick<Props, 'draft' | 'onChange'>) {
  const own = useWordsOf(keysWords)
  const isBound = draft.residency === 'token'
  return (
    <fieldset>
      <legend>{own.mayBe}</legend>
      <NativeCheckbox
        label={own.allowExport}
        isChecked={draft.mayExport && !isBound}
        isDisabled={isBound}
        onChange={(mayExport) => onChange({ mayExport })}
      />
      <NativeCheckbox
        label={own.allowOpenExport}
        isChecked={draft.mayExport && draft.mayExportOpen && !isBound}
        isDisabled={isBound || !draft.mayExport}
        onChange={(mayExportOpen) => onChange({ mayExportOpen })}
      />
      <NativeCheckbox
        label={own.allowBackup}
        isChecked={draft.mayBackUp && !isBound}
        isDisabled={isBound}
        onChange={(mayBackUp) => onChange({ mayBackUp })}
      />
      <NativeCheckbox
        label={own.allowDelete}
        isChecked={draft.mayDelete}
        onChange={(mayDelete) => onChange({ mayDelete })}
      />
      <p className="soft">{own.neverOn}</p>
    </fieldset>
  )
}

function optionOf(
  { type, available, available_in_token: inToken, missing_mechanism: missing }: OfferedType,
  { residency }: NewKeyDraft,
  own: typeof keysWords.en,
) {
  const isOffered = (residency === 'token' ? inToken : available) === 'true'
  const name = typeName(type)
  const why = own.unavailable(missing ?? '')
  return { value: type, text: isOffered ? name : `${name}: ${why}`, isDisabled: !isOffered }
}
