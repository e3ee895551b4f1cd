import { useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { Button } from 'react-aria-components/Button'
import { Form } from 'react-aria-components/Form'
import { useAction } from '../controls/action.ts'
import { Choice } from '../controls/choice.tsx'
import { useIsSlow } from '../controls/slow-work.ts'
import { ErrorMessage } from '../controls/error-message.tsx'
import { useWords, useWordsOf } from '../words/language.tsx'
import { perform, type BenchKey, type BenchOperation, type BenchOutcome } from './bench-calls.ts'
import { bytesGiven, emptyBench, type BenchDraft } from './bench-draft.ts'
import { BenchFields } from './bench-fields.tsx'
import { BenchResults } from './bench-result.tsx'
import { benchWords } from './bench-words.ts'
import { CallSamples } from './call-samples.tsx'
import { keysOf } from './keys-reads.ts'

interface Props {
  readonly title?: string
  /** Absent for operations without a key. */
  readonly benchKey?: BenchKey
  readonly versions?: readonly string[]
  readonly operations: readonly BenchOperation[]
  readonly mayOpenDataKeys?: boolean
}

/** A form that makes calls by hand, shows their results, and shows how a program makes the same call. */
export function Bench({ title, benchKey, versions = [], operations, mayOpenDataKeys = false }: Props) {
  const words = useWords()
  const own = useWordsOf(benchWords)
  const [operation, setOperation] = useState(operations[0])
  const [draft, setDraft] = useState(emptyBench)
  const [outcome, setOutcome] = useState<BenchOutcome>()
  const { isUnderWay, error, run } = useAction()
  const isSlow = useIsSlow(isUnderWay)
  const queries = useQueryClient()
  if (operation === undefined) return null

  const change = (next: Partial<BenchDraft>): void => setDraft((before) => ({ ...before, ...next }))
  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    // The field shows its error already.
    if (operation === undefined || [draft.data, draft.aad].some((given) => bytesGiven(given) === undefined)) return
    setOutcome(undefined)
    await run(async (signal) => {
      const next = await perform(operation, benchKey, draft, signal)
      if (signal.aborted) return
      setOutcome(next)
      change(next.kept ?? {})
    })
    // The call may have rotated the key, and has changed its counter, even if its answer was lost.
    if (benchKey) await queries.invalidateQueries({ queryKey: keysOf(benchKey.vaultid), refetchType: 'none' })
  }
  return (
    <section className="bench card">
      <h2>{title ?? own.bench}</h2>
      <p className="soft">{own.benchHelp}</p>
      <Form className="form" onSubmit={(event) => void submit(event)}>
        <Choice
          label={own.what}
          value={operation}
          options={operations.map((value) => ({ value, text: own.operations[value] }))}
          onChange={(next) => {
            setOperation(next)
            setOutcome(undefined)
          }}
        />
        <p className="soft">{own.explanations[operation]}</p>
        <BenchFields
          operation={operation}
          type={benchKey?.type}
          versions={versions}
          draft={draft}
          mayOpenDataKeys={mayOpenDataKeys}
          onChange={change}
        />
        <div className="buttons">
          <Button type="submit" className={benchKey ? 'button primary' : 'button'}>
            {isSlow ? words.underWay : own.operations[operation]}
          </Button>
        </div>
      </Form>
      <div role="status" className="results">
        {outcome && <BenchResults outcome={outcome} />}
      </div>
      {error !== undefined && <ErrorMessage error={error} />}
      {outcome && <CallSamples done={outcome.done} />}
    </section>
  )
}
