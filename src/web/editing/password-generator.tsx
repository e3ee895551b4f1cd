import { RefreshCw } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { FormDialog } from '../controls/form-dialog.tsx'
import { SelectInput } from '../controls/select-input.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { call } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { editingWords } from './editing-words.ts'
import { isWhole, queryOf, startingKind, usualSizes, type GeneratorChoice, type Kind } from './generator-choice.ts'

interface Props {
  /** Id of the vault's policy, where that has rules. */
  readonly policyid: string | undefined
  readonly isPin: boolean
  readonly onUse: (passphrase: string) => void
  readonly onClose: () => void
}

interface Made {
  readonly passphrase: string
  readonly bits: number
}

/** Milliseconds without a change before the next call. */
const restMs = 250

/** Generates passwords of every kind that the appliance offers, from the random numbers of its token. */
export function PasswordGenerator({ policyid, isPin, onUse, onClose }: Props) {
  const words = useWordsOf(editingWords)
  const [choice, setChoice] = useState<GeneratorChoice>(() => startingKind(policyid, isPin))
  const { made, bits, error, generate } = useGenerated(choice, policyid)
  const set = (change: Partial<GeneratorChoice>): void => setChoice((before) => ({ ...before, ...change }))
  return (
    <FormDialog
      title={words.generator}
      submitText={words.use}
      onClose={onClose}
      // The person may be faster than the call for the present choice.
      onSubmit={async (signal) => onUse((made ?? (await generate(signal))).passphrase)}
    >
      <SelectInput
        label={words.kindOfPassword}
        value={choice.kind}
        options={Object.entries(words.kinds)
          .filter(([kind]) => kind !== 'policy' || policyid !== undefined)
          .map(([value, text]) => ({ value, text }))}
        onChange={(kind) => {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one of the options
          set({ kind: kind as Kind, size: usualSizes[kind as Kind] })
        }}
      />
      <Sizes choice={choice} set={set} />
      {error !== undefined && <ErrorMessage error={error} />}
      <div className="generated">
        <output aria-label={words.generated} className="code">
          {made?.passphrase ?? '…'}
        </output>
        <Button className="button small" onPress={() => set({})}>
          <RefreshCw aria-hidden />
          {words.another}
        </Button>
      </div>
      <Strength bits={bits} />
    </FormDialog>
  )
}

/** The password that was made last. It is not cached, and the page forgets it with the dialog. */
interface Last {
  readonly generate: object
  readonly made?: Made
  readonly error?: unknown
}

function useGenerated(choice: GeneratorChoice, policyid: string | undefined) {
  const [last, setLast] = useState<Last>()
  const generate = useCallback(
    async (signal: AbortSignal): Promise<Made> =>
      (await call('utils.pwgen', { query: queryOf(choice, policyid), signal })).CALLINFO,
    [choice, policyid],
  )
  useEffect(() => {
    const gone = new AbortController()
    const show = (next: Last): void => void (gone.signal.aborted || setLast(next))
    const make = (): void =>
      void generate(gone.signal).then(
        (made) => show({ generate, made }),
        (error: unknown) => show({ generate, error }),
      )
    const timer = setTimeout(make, restMs)
    return () => {
      clearTimeout(timer)
      gone.abort()
    }
  }, [generate])
  return {
    /** Undefined while another choice waits for its password. */
    made: last?.generate === generate ? last.made : undefined,
    bits: last?.made?.bits,
    error: last?.error,
    generate,
  }
}

interface SizesProps {
  readonly choice: GeneratorChoice
  readonly set: (change: Partial<GeneratorChoice>) => void
}

/** The choices that a kind offers. */
function Sizes({ choice, set }: SizesProps) {
  const words = useWordsOf(editingWords)
  const { kind, size, between, language, shortest, longest } = choice
  const isOfWords = kind === 'diceword' || kind === 'opie'
  return (
    <div className="pair">
      {kind !== 'opie' && (
        <NumberInput
          label={kind === 'diceword' ? words.countOfWords : kind === 'bytes' ? words.bytesLength : words.length}
          value={size}
          onChange={(next) => set({ size: next })}
        />
      )}
      {isOfWords && (
        <SelectInput
          label={words.between}
          value={between}
          options={Object.entries(words.betweens).map(([value, text]) => ({ value, text }))}
          onChange={(next) => set({ between: next })}
        />
      )}
      {kind === 'diceword' && (
        <>
          <SelectInput
            label={words.languageOfWords}
            value={language}
            options={[
              { value: 'en_US', text: 'English' },
              { value: 'sv_SE', text: 'Svenska' },
            ]}
            onChange={(next) => set({ language: next })}
          />
          <NumberInput label={words.shortest} value={shortest} onChange={(next) => set({ shortest: next })} />
          <NumberInput label={words.longest} value={longest} onChange={(next) => set({ longest: next })} />
        </>
      )}
    </div>
  )
}

interface NumberProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

function NumberInput({ label, value, onChange }: NumberProps) {
  const take = (text: string): void => {
    if (isWhole(text)) onChange(text)
  }
  return <TextInput label={label} value={value} onChange={take} inputMode="numeric" autoComplete="off" />
}

/**
 * An attacker with a hash of a password below `fairBits` can try all of them (`utils.pwgen`). `strongBits` is far
 * beyond that.
 */
const fairBits = 50
const strongBits = 80

/** It takes its room before the first password is made, so that the buttons below do not move from under a pointer. */
function Strength({ bits }: { readonly bits: number | undefined }) {
  const words = useWordsOf(editingWords)
  const known = bits ?? 0
  const name = known < fairBits ? 'weak' : known < strongBits ? 'fair' : 'strong'
  const text = words.strength(words.strengths[name], known)
  return (
    <div className={bits === undefined ? 'strength awaited' : `strength ${name}`}>
      <meter min={0} max={128} low={fairBits} high={strongBits} optimum={128} value={known} aria-label={text} />
      <p>{text}</p>
    </div>
  )
}
