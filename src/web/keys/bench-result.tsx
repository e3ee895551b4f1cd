import { CircleCheck, CircleX, Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { saveFile } from '../controls/file-download.ts'
import { useWordsOf } from '../words/language.tsx'
import type { BenchResult, BenchOutcome } from './bench-calls.ts'
import { benchWords } from './bench-words.ts'
import { writtenAs, type Notation } from './binary-text.ts'
import { NotationChoice } from './bytes-input.tsx'
import { CopyButton } from './copy-button.tsx'

/** The results of a call. They stay in the page until the next call or until the view is left. */
export function BenchResults({ outcome: { results, version } }: { readonly outcome: BenchOutcome }) {
  const own = useWordsOf(benchWords)
  return (
    <>
      {results.map((result) => (
        <Result key={result.label} result={result} />
      ))}
      {version !== undefined && <p className="soft">{own.byVersion(version)}</p>}
    </>
  )
}

function Result({ result }: { readonly result: BenchResult }) {
  const own = useWordsOf(benchWords)
  if (result.label === 'verdict')
    return (
      <p className={result.isValid ? 'verdict' : 'verdict wrong'}>
        {result.isValid ? <CircleCheck aria-hidden /> : <CircleX aria-hidden />}
        {result.isValid ? own.valid : own.invalid}
      </p>
    )
  return 'text' in result ? <TextResult {...result} /> : <BytesResult {...result} />
}

function TextResult({ label, text }: Extract<BenchResult, { readonly text: string }>) {
  const own = useWordsOf(benchWords)
  const what = own[label]
  return (
    <div className="result">
      <div className="bar">
        <h3>{what}</h3>
        <CopyButton what={what} text={text} />
        <SaveButton what={what} name={`${label}.txt`} content={text} />
      </div>
      <output className="value code">{text}</output>
    </div>
  )
}

/** The first notation for bytes: text, if they are text. */
const fitting = (bytes: Uint8Array<ArrayBuffer>): Notation =>
  bytes.length > 0 && writtenAs('text', bytes) === undefined ? 'base64' : 'text'

function BytesResult({ label, bytes, isSecret }: Extract<BenchResult, { readonly bytes: unknown }>) {
  const own = useWordsOf(benchWords)
  const [chosen, setChosen] = useState<Notation>()
  const notation = chosen ?? (label === 'plaintext' ? fitting(bytes) : 'base64')
  const text = writtenAs(notation, bytes)
  const what = own[label]
  return (
    <div className="result">
      <div className="bar">
        <h3>{what}</h3>
        <NotationChoice label={own.notation(what)} value={notation} onChange={setChosen} />
        {text !== undefined && <CopyButton what={what} text={text} isSecret={isSecret} />}
        <SaveButton what={what} name={label} content={bytes} />
      </div>
      <output className={text === undefined ? 'value soft' : 'value code'}>{text ?? own.notText}</output>
    </div>
  )
}

interface SaveProps {
  readonly what: string
  readonly name: string
  readonly content: string | Uint8Array<ArrayBuffer>
}

function SaveButton({ what, name, content }: SaveProps) {
  const own = useWordsOf(benchWords)
  return (
    <Button className="button small" aria-label={own.saveOf(what)} onPress={() => saveFile(name, content)}>
      <Download aria-hidden />
      {own.save}
    </Button>
  )
}
