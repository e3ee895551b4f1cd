import { KeyRound, Package, X } from 'lucide-react'
import { useRef, useState, type ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { TextInput } from '../controls/text-input.tsx'
import { NativeCheckbox } from '../controls/native-checkbox.tsx'
import { useWordsOf } from '../words/language.tsx'
import {
  keyOperations,
  newKeys,
  newObjects,
  objectOperations,
  wrongIn,
  type GrantDraft,
  type KeysDraft,
  type WrongGrant,
} from './grant-draft.ts'
import { grantWords } from './grant-words.ts'

interface Props {
  readonly drafts: readonly GrantDraft[]
  readonly onChange: (drafts: readonly GrantDraft[]) => void
  /** Whether errors are shown: after the first attempt to submit the form. */
  readonly isChecked: boolean
}

/** The grants of a member: entries for keys and for objects. An operation is allowed if one entry allows it. */
export function GrantsFields({ drafts, onChange, isChecked }: Props) {
  const words = useWordsOf(grantWords)
  const add = useRef<HTMLButtonElement>(null)
  const [added, setAdded] = useState<number>()
  const append = (draft: GrantDraft): void => {
    setAdded(draft.id)
    onChange([...drafts, draft])
  }
  return (
    <div className="grants">
      {drafts.map((draft, at) => {
        const wrong = isChecked ? wrongIn(draft) : {}
        const change = (next: GrantDraft): void => onChange(drafts.map((one) => (one.id === draft.id ? next : one)))
        return (
          <fieldset key={draft.id} className="grant">
            <legend>{'objects' in draft ? words.objectsGrant : words.keysGrant}</legend>
            {'objects' in draft ? (
              <Operations
                label={words.mayWithObjects}
                all={objectOperations}
                names={words.objectOperations}
                chosen={draft.objects}
                isWrong={wrong.operations}
                onChange={(objects) => change({ ...draft, objects })}
              >
                <p className="soft">{words.objectsHelp}</p>
              </Operations>
            ) : (
              <KeysFields draft={draft} wrong={wrong} isNew={draft.id === added} onChange={change} />
            )}
            <Button
              className="quiet"
              aria-label={words.takeOut(at + 1)}
              onPress={() => {
                // Removing the entry would lose the focus.
                add.current?.focus()
                onChange(drafts.filter(({ id }) => id !== draft.id))
              }}
            >
              <X aria-hidden />
            </Button>
          </fieldset>
        )
      })}
      {isChecked && drafts.length === 0 && (
        <p className="wrong" role="alert">
          {words.noEntry}
        </p>
      )}
      <div className="adds">
        <Button ref={add} className="button small" onPress={() => append(newKeys())}>
          <KeyRound aria-hidden />
          {words.addKeys}
        </Button>
        {!drafts.some((draft) => 'objects' in draft) && (
          <Button className="button small" onPress={() => append(newObjects())}>
            <Package aria-hidden />
            {words.addObjects}
          </Button>
        )}
      </div>
    </div>
  )
}

interface KeysProps {
  readonly draft: KeysDraft
  readonly wrong: WrongGrant
  readonly isNew: boolean
  readonly onChange: (draft: KeysDraft) => void
}

function KeysFields({ draft, wrong, isNew, onChange }: KeysProps) {
  const words = useWordsOf(grantWords)
  return (
    <>
      <TextInput
        label={words.names}
        description={words.namesHelp}
        error={wrong.keys ? words.badNames : undefined}
        kind="code"
        autoComplete="off"
        autoFocus={isNew}
        maxLength={128}
        value={draft.keys}
        onChange={(keys) => onChange({ ...draft, keys })}
      />
      <Operations
        label={words.mayWithKeys}
        all={keyOperations}
        names={words.keyOperations}
        chosen={draft.operations}
        isWrong={wrong.operations}
        onChange={(operations) => onChange({ ...draft, operations })}
      />
      <TextInput
        label={words.aad}
        description={words.aadHelp}
        error={wrong.aad && { form: words.badAad, operations: words.noAad }[wrong.aad]}
        kind="code"
        autoComplete="off"
        value={draft.aad}
        onChange={(aad) => onChange({ ...draft, aad })}
      />
      <TextInput
        label={words.dailyMost}
        description={words.dailyHelp}
        error={wrong.daily ? words.badDaily : undefined}
        kind="name"
        inputMode="numeric"
        autoComplete="off"
        value={draft.daily}
        onChange={(daily) => onChange({ ...draft, daily })}
      />
      <NativeCheckbox
        label={words.strictTick}
        isChecked={draft.strict}
        onChange={(strict) => onChange({ ...draft, strict })}
      />
    </>
  )
}

interface OperationsProps<Operation extends string> {
  readonly label: string
  readonly all: readonly Operation[]
  readonly names: Readonly<Record<Operation, string>>
  readonly chosen: readonly Operation[]
  readonly isWrong: boolean | undefined
  readonly onChange: (chosen: readonly Operation[]) => void
  readonly children?: ReactNode
}

function Operations<Operation extends string>(props: OperationsProps<Operation>) {
  const { label, all, names, chosen, isWrong, onChange, children } = props
  const words = useWordsOf(grantWords)
  return (
    <fieldset className="operations">
      <legend>{label}</legend>
      {all.map((operation) => (
        <NativeCheckbox
          key={operation}
          label={names[operation]}
          isChecked={chosen.includes(operation)}
          onChange={(isChecked) =>
            onChange(all.filter((one) => (one === operation ? isChecked : chosen.includes(one))))
          }
        />
      ))}
      {children}
      {isWrong && (
        <p className="wrong" role="alert">
          {words.noOperation}
        </p>
      )}
    </fieldset>
  )
}
