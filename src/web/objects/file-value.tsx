import { Download, Eye, EyeOff, FileText } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import type { MayRead } from './alarm-question.tsx'
import type { StoredObject } from '../interface/calls.ts'
import { useAction } from '../controls/action.ts'
import { readFile } from '../vaults/vault-reads.ts'
import { saveFile } from '../controls/file-download.ts'
import { ErrorMessage } from '../controls/error-message.tsx'
import { useWords } from '../words/language.tsx'
import { mayHavePreview, previewOf, type Preview } from './file-preview.ts'
import { PdfPreview } from './pdf/pdf-preview.tsx'

interface Props {
  readonly object: StoredObject
  readonly mayRead: MayRead
}

type Shown =
  | { readonly kind: 'picture'; readonly address: string }
  | { readonly kind: 'pdf'; readonly bytes: Uint8Array<ArrayBuffer> }
  | Exclude<Preview, { kind: 'picture' | 'pdf' }>

/** The file of an object. */
export function FileValue({ object, mayRead }: Props) {
  const words = useWords()
  const { isUnderWay, error, run } = useAction()
  const [shown, setShown] = useState<Shown>()
  useEffect(() => (shown?.kind === 'picture' ? () => URL.revokeObjectURL(shown.address) : undefined), [shown])
  const { fileinfo, filename } = object
  if (!fileinfo) return <span className="soft">{words.empty}</span>

  async function read(use: (bytes: Uint8Array<ArrayBuffer>) => void): Promise<void> {
    if (isUnderWay || !(await mayRead(run))) return
    await run(async (signal) => {
      const bytes = await readFile(object.id, signal)
      if (!signal.aborted) use(bytes)
    })
  }
  return (
    <div className="secret">
      <span className="value file">
        <FileText aria-hidden />
        <span className="texts">
          <span className="title">{fileinfo.name}</span>
          <span className="soft">
            {words.bytes(Number(fileinfo.size))}
            {fileinfo.type !== '' && ` · ${fileinfo.type}`}
          </span>
        </span>
      </span>
      <span className="buttons">
        {mayHavePreview(fileinfo.type, Number(fileinfo.size)) && (
          <Button
            className="button small"
            onPress={() => (shown ? setShown(undefined) : void read((bytes) => setShown(shownOf(bytes))))}
          >
            {shown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
            {shown ? words.hidePreview : words.preview}
          </Button>
        )}
        <Button className="button small" onPress={() => void read((bytes) => saveFile(filename, bytes))}>
          <Download aria-hidden />
          {isUnderWay ? words.downloading : words.download}
        </Button>
      </span>
      {error !== undefined && <ErrorMessage error={error} />}
      {shown && <PreviewOf shown={shown} name={fileinfo.name} />}
    </div>
  )
}

/** A picture gets a blob URL with the type that its bytes have, so that the browser treats it as nothing else. */
function shownOf(bytes: Uint8Array<ArrayBuffer>): Shown {
  const preview = previewOf(bytes)
  if (preview.kind === 'pdf') return { ...preview, bytes }
  if (preview.kind !== 'picture') return preview
  return { kind: 'picture', address: URL.createObjectURL(new Blob([bytes], { type: preview.type })) }
}

function PreviewOf({ shown, name }: { readonly shown: Shown; readonly name: string }) {
  const words = useWords()
  if (shown.kind === 'none') return <p className="soft">{words.noPreview}</p>
  return (
    <figure className="preview" aria-label={words.previewOf(name)}>
      {shown.kind === 'picture' ? (
        <img src={shown.address} alt={name} />
      ) : shown.kind === 'pdf' ? (
        <PdfPreview file={shown.bytes} name={name} />
      ) : (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by the keyboard
        <pre tabIndex={0}>{shown.text}</pre>
      )}
    </figure>
  )
}
