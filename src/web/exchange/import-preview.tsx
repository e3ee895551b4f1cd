import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { useHeldAddress } from '../controls/held-address.tsx'
import { TypingForm } from '../controls/kept-typing.ts'
import { Loading } from '../controls/loading.tsx'
import { useStoppableAction } from '../controls/stoppable-action.ts'
import { NativeCheckbox } from '../controls/native-checkbox.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import type { Contents } from '../interface/calls.ts'
import { useSession } from '../session/session.tsx'
import { favouritesKey } from '../vaults/favourite-reads.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import type { ColumnUse } from './csv-reading.ts'
import type { ReadFile } from './entry.ts'
import { exchangeWords } from './exchange-words.ts'
import { createImportRun, type ImportProgress, type ImportRun } from './import-run.ts'
import { duplicatesAmong, planObjects, type PlannedObject } from './planned-object.ts'
import { PlanTable } from './plan-table.tsx'
import { usePresent } from './present-objects.ts'

/** What is read again after the end of the session: not what was in the file, least of all that of an encrypted one. */
export interface BegunImport {
  readonly file: File
  /** Uses of the columns of a table. */
  readonly uses?: readonly ColumnUse[]
}

/** Kept choices of imports. Their place is the vault. */
export const importTyping = new TypingForm<BegunImport>()

interface Props {
  readonly vaultid: string
  readonly contents: Contents
  readonly begun: BegunImport
  readonly read: ReadFile
  /** Called at the start and end of an import, in which another file or other columns would restart it. */
  readonly onUnderWay: (isUnderWay: boolean) => void
}

/** What the import will create, and the button that starts it. */
export function ImportPreview({ vaultid, contents, begun, read, onUnderWay }: Props) {
  const words = useWordsOf(exchangeWords)
  const { person } = useSession()
  const plans = useMemo(() => read.entries.flatMap(planObjects), [read])
  const { present, error: unknown, refetch } = usePresent(plans, contents.OBJECTS)
  const duplicates = useMemo(() => duplicatesAmong(plans, present ?? []), [plans, present])
  const [withDuplicates, setWithDuplicates] = useState(false)
  const chosen = withDuplicates ? plans : plans.filter((plan) => !duplicates.has(plan))
  const { progress, total, isStopped, isUnderWay, error, go, stop } = useImport(vaultid, chosen, onUnderWay)
  const isDone = progress !== undefined && progress.done === total && !isUnderWay
  importTyping.useTyping(person?.userid, vaultid, progress?.done === total ? undefined : begun)
  const question = useHeldAddress(progress !== undefined && !isDone, { asked: words.leaving })
  if (!present) return unknown ? <ErrorMessage error={unknown} onTryAgain={refetch} /> : <Loading />
  return (
    <div className="preview">
      <h3>{words.preview}</h3>
      <p>{words.objects(chosen.length)}</p>
      {duplicates.size > 0 && progress === undefined && (
        <NativeCheckbox
          label={`${words.duplicates(duplicates.size)}. ${words.withDuplicates}`}
          isChecked={withDuplicates}
          onChange={setWithDuplicates}
        />
      )}
      <Defects read={read} />
      {read.leftFiles !== undefined && read.leftFiles > 0 && <p>{words.leftFiles(read.leftFiles)}</p>}
      {read.leftPasswords !== undefined && read.leftPasswords > 0 && <p>{words.leftPasswords(read.leftPasswords)}</p>}
      <PlanTable plans={plans} duplicates={duplicates} />
      {error !== undefined && <ErrorMessage error={error} advice={words.resumable} />}
      {progress !== undefined && <Progress progress={progress} total={total} />}
      {isStopped && <p role="status">{`${words.stopped} ${words.resumable}`}</p>}
      <p className="buttons">
        {isDone ? (
          <a className="button primary" href={`#/vault/${vaultid}`}>
            {words.toVault}
          </a>
        ) : (
          <>
            {/* The button stays in place, so that the second click of a double click does not stop the import. */}
            <Button className="button primary" isDisabled={isUnderWay || chosen.length === 0} onPress={() => void go()}>
              {progress === undefined || isUnderWay ? words.go(chosen.length) : words.goOn}
            </Button>
            {isUnderWay && (
              <Button className="button" onPress={stop}>
                {words.stop}
              </Button>
            )}
          </>
        )}
      </p>
      {question}
    </div>
  )
}

/** An import and its progress. A stopped import continues where it stopped. */
function useImport(vaultid: string, chosen: readonly PlannedObject[], onUnderWay: Props['onUnderWay']) {
  const queries = useQueryClient()
  const [importing, setImporting] = useState<ImportRun>()
  const [progress, setProgress] = useState<ImportProgress>()
  const { isUnderWay, error, isStopped, run, stop } = useStoppableAction()

  async function go(): Promise<void> {
    const task = importing ?? createImportRun(vaultid, chosen)
    setImporting(task)
    setProgress((before) => before ?? { done: 0, refused: [] })
    onUnderWay(true)
    await run(async (signal) => {
      try {
        await task.run(signal, setProgress)
      } finally {
        void queries.invalidateQueries({ queryKey: favouritesKey })
        await queries.invalidateQueries({ queryKey: ['vault', vaultid] })
      }
    })
    onUnderWay(false)
  }
  return { progress, total: importing?.total ?? 0, isStopped, isUnderWay, error, go, stop }
}

const mostShown = 100

function Defects({ read: { defects } }: Pick<Props, 'read'>) {
  const words = useWordsOf(exchangeWords)
  if (defects.length === 0) return null
  return (
    <details>
      <summary>{words.defects(defects.length)}</summary>
      <ul>
        {defects.slice(0, mostShown).map(({ at, why }) => (
          <li key={at}>
            {words.row(at)}: {words.defect[why]}
          </li>
        ))}
        {defects.length > mostShown && <li>{words.andMore(defects.length - mostShown)}</li>}
      </ul>
    </details>
  )
}

function Progress({ progress, total }: { readonly progress: ImportProgress; readonly total: number }) {
  const words = useWordsOf(exchangeWords)
  const { locale } = useWords()
  const { done, refused } = progress
  return (
    <>
      <progress value={done} max={total} aria-label={words.progress(done, total)} />
      <p role="status">{done === total ? words.imported(done - refused.length) : ''}</p>
      {refused.length > 0 && (
        <details open>
          <summary>{words.refused(refused.length)}</summary>
          <ul>
            {refused.slice(0, mostShown).map(({ plan, error }) => (
              <li key={plan.key}>
                {words.row(plan.entry.at)}, {plan.name}:{' '}
                <span lang={locale === 'en' ? undefined : 'en'}>{error.message}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
