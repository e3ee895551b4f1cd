import { useDone } from '../controls/change-done.ts'
import { FormDialog } from '../controls/form-dialog.tsx'
import { TypingForm } from '../controls/kept-typing.ts'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { call, type ImportJob } from '../interface/calls.ts'
import { useTypedState } from '../session/typed-state.ts'
import { useWordsOf } from '../words/language.tsx'
import type { AskedImport } from './import-commands.ts'
import { keysOf, useKeyTypes } from './keys-reads.ts'
import { keysWords } from './keys-words.ts'
import { emptyDraft, newKeyBody, type NewKeyDraft } from './new-key-draft.ts'
import { NewKeyFields } from './new-key-fields.tsx'

/** An import job, and the key for which it was created. */
export interface PreparedImport {
  readonly job: ImportJob
  readonly asked: AskedImport
}

interface Props {
  readonly vaultid: string
  /** Called with the prepared job of an import. Absent where the dialog creates a key. */
  readonly onPrepared?: (prepared: PreparedImport) => void
  readonly onClose: () => void
}

export const newKeyTyping = new TypingForm<NewKeyDraft>()
export const keyImportTyping = new TypingForm<NewKeyDraft>()

/** Creates a key or prepares the import of one, with the same fields. */
export function NewKeyDialog({ vaultid, onPrepared, onClose }: Props) {
  const own = useWordsOf(keysWords)
  const done = useDone(keysOf(vaultid))
  const types = useKeyTypes()
  const isImport = onPrepared !== undefined
  const [draft, setDraft] = useTypedState(isImport ? keyImportTyping : newKeyTyping, vaultid, emptyDraft)

  async function send(signal: AbortSignal): Promise<void> {
    const params = { vaultid, name: draft.name.trim() }
    const body = newKeyBody(draft)
    if (onPrepared) {
      const { CALLINFO } = await call('transparent.import.job', { params, body, signal })
      return onPrepared({ job: CALLINFO, asked: { ...params, body } })
    }
    await call('transparent.key.create', { params, body, signal })
    await done(own.created(params.name))
  }
  return (
    <FormDialog
      title={isImport ? own.importTitle : own.createTitle}
      submitText={isImport ? own.prepare : own.create}
      onSubmit={send}
      onClose={onClose}
    >
      {isImport && <p>{own.importHelp}</p>}
      {types.data ? (
        <NewKeyFields
          draft={draft}
          types={types.data.TYPES}
          isImport={isImport}
          onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
        />
      ) : types.error ? (
        <ErrorMessage error={types.error} onTryAgain={types.refetch} />
      ) : (
        <Loading />
      )}
    </FormDialog>
  )
}
