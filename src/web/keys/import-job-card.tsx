import { useState, type FormEvent } from 'react'
import { Button } from 'react-aria-components/Button'
import { Form } from 'react-aria-components/Form'
import { useAction } from '../controls/action.ts'
import { useDone } from '../controls/change-done.ts'
import { ErrorMessage } from '../controls/error-message.tsx'
import { FileInput } from '../controls/file-input.tsx'
import { momentWords } from '../controls/moment-text.tsx'
import { call } from '../interface/calls.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { encodeBase64 } from '../interface/base64-text.ts'
import { CommandLines } from './command-lines.tsx'
import { checkCommands, wrapCommands } from './import-commands.ts'
import { keyWords } from './key-words.ts'
import { keysOf } from './keys-reads.ts'
import type { PreparedImport } from './new-key-dialog.tsx'
import { purposeOf } from './type-names.ts'

interface Props {
  readonly prepared: PreparedImport
  readonly onClose: () => void
}

/** The second half of an import: the person wraps the key where it is, and uploads the result. */
export function ImportJobCard({ prepared: { job, asked }, onClose }: Props) {
  const { locale } = useWords()
  const own = useWordsOf(keyWords)
  const { error, run } = useAction()
  const [wrapped, setWrapped] = useState<File>()
  const [publicHalf, setPublicHalf] = useState<File>()
  const { vaultid, name } = asked
  const done = useDone(keysOf(vaultid))
  const isPair = purposeOf(asked.body.type ?? '') === 'signing'

  async function hand(event: FormEvent): Promise<void> {
    event.preventDefault()
    const isDone = await run(async (signal) => {
      const body = {
        job: job.job,
        wrapped_key: await contentOf(wrapped),
        ...(isPair && { public_key: await contentOf(publicHalf) }),
      }
      await call('transparent.import', { params: { vaultid, name }, body, signal })
      await done(own.imported(name))
    })
    if (isDone) onClose()
  }
  return (
    <section className="import card">
      <h2>{own.importOf(name)}</h2>
      <p className="soft">{own.importUntil(momentWords(job.expires, locale))}</p>
      <CommandLines
        title={own.importCheckCommand}
        help={own.importCheck}
        text={checkCommands(job, asked, own.importOther)}
      />
      <CommandLines
        title={own.importWrap}
        help={isPair ? own.importWrapText.pair : own.importWrapText.secret}
        text={wrapCommands(isPair)}
      />
      <h3>{own.importSend}</h3>
      <Form className="form" onSubmit={(event) => void hand(event)}>
        {error !== undefined && <ErrorMessage error={error} />}
        <FileInput label={own.importWrapped} isRequired file={wrapped} onChoose={setWrapped} />
        {isPair && <FileInput label={own.importPublic} isRequired file={publicHalf} onChoose={setPublicHalf} />}
        <div className="buttons">
          <Button className="button" onPress={onClose}>
            {own.importStop}
          </Button>
          <Button type="submit" className="button primary">
            {own.importGo}
          </Button>
        </div>
      </Form>
    </section>
  )
}

const contentOf = async (file: File | undefined): Promise<string> =>
  file === undefined ? '' : encodeBase64(new Uint8Array(await file.arrayBuffer()))
