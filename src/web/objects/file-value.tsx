import { Download, FileText } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import type { StoredObject } from '../interface/calls.ts'
import { useAction } from '../controls/action.ts'
import { readFile } from '../vaults/vault-reads.ts'
import { saveFile } from '../controls/saving.ts'
import { Trouble } from '../controls/trouble.tsx'
import { useWords } from '../words/spoken.tsx'

interface Props {
  readonly object: StoredObject
  readonly mayRead: () => Promise<boolean>
}

/** The file of an object. */
export function FileValue({ object, mayRead }: Props) {
  const words = useWords()
  const { isUnderWay, error, run } = useAction()
  const { fileinfo, filename } = object
  if (!fileinfo) return <span className="soft">{words.empty}</span>

  async function download(): Promise<void> {
    if (isUnderWay || !(await mayRead())) return
    await run(async (signal) => {
      const bytes = await readFile(object.id, signal)
      if (!signal.aborted) saveFile(filename, bytes)
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
        <Button className="button small" onPress={() => void download()}>
          <Download aria-hidden />
          {isUnderWay ? words.downloading : words.download}
        </Button>
      </span>
      {error !== undefined && <Trouble error={error} />}
    </div>
  )
}
