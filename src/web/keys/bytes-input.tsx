import { Paperclip, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { FileTrigger } from 'react-aria-components/FileTrigger'
import { TextInput } from '../controls/text-input.tsx'
import { useWords, useWordsOf } from '../words/language.tsx'
import { bytesGiven, type GivenBytes } from './bench-draft.ts'
import { benchWords } from './bench-words.ts'
import { notations, type Notation } from './binary-text.ts'

interface Props {
  readonly label: string
  readonly description?: string
  readonly given: GivenBytes
  readonly hasFiles?: boolean
  readonly rows: number
  readonly onChange: (change: Partial<GivenBytes>) => void
}

/** Greatest size of a file, which in Base64 still fits into a call. */
const mostBytes = 1_048_576

/** A field for bytes: text, Base64, hexadecimal, or a small file. */
export function BytesInput({ label, description, given, hasFiles = false, rows, onChange }: Props) {
  const words = useWords()
  const own = useWordsOf(benchWords)
  const [isTooLarge, setIsTooLarge] = useState(false)
  async function take(files: FileList | null): Promise<void> {
    const file = files?.[0]
    if (!file) return
    setIsTooLarge(file.size > mostBytes)
    if (file.size <= mostBytes) onChange({ file: { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) } })
  }
  const { notation, text, file } = given
  const isWrong = bytesGiven(given) === undefined
  const error = isTooLarge
    ? own.tooLarge(words.bytes(mostBytes))
    : isWrong && notation !== 'text'
      ? own.notWritten[notation]
      : undefined
  return (
    <div className="bytes-input">
      {file ? (
        <p className="file-taken">
          <span>
            <strong>{label}</strong> {own.fileTaken(file.name, words.bytes(file.bytes.length))}
          </span>
          <Button className="quiet" aria-label={own.dropFile} onPress={() => onChange({ file: undefined })}>
            <X aria-hidden />
          </Button>
        </p>
      ) : (
        <TextInput
          label={label}
          {...(description !== undefined && { description })}
          kind="code"
          rows={rows}
          error={error}
          value={text}
          onChange={(next) => {
            setIsTooLarge(false)
            onChange({ text: next })
          }}
        />
      )}
      <div className="bar">
        <NotationChoice
          label={own.notation(label)}
          value={notation}
          onChange={(next) => onChange({ notation: next, file: undefined })}
        />
        {hasFiles && (
          <FileTrigger onSelect={(files) => void take(files)}>
            <Button className="button small">
              <Paperclip aria-hidden />
              {own.fromFile}
            </Button>
          </FileTrigger>
        )}
      </div>
    </div>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: Notation
  readonly onChange: (value: Notation) => void
}

/** A select element for the notation. It stands beside its field and has no visible label. */
export function NotationChoice({ label, value, onChange }: ChoiceProps) {
  const own = useWordsOf(benchWords)
  return (
    <select
      className="notation"
      aria-label={label}
      value={value}
      onChange={({ target }) => onChange(notations.find((one) => one === target.value) ?? 'text')}
    >
      {notations.map((one) => (
        <option key={one} value={one}>
          {own.notations[one]}
        </option>
      ))}
    </select>
  )
}
