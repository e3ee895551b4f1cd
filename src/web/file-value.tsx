import { Download, FileText } from 'lucide-react'
import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import type { StoredObject } from './calls.ts'
import { useGone } from './gone-signal.ts'
import { readFile } from './vault-reads.ts'
import { saveFile } from './saving.ts'
import { Trouble } from './trouble.tsx'
import { useWords } from './words/spoken.tsx'

interface Props {
  readonly object: StoredObject
  readonly mayRead: () => Promise<boolean>
}

/** The file of an object. */
export function FileValue({ object, mayRead }: Props) {
  const words = useWords()
  const [error, setError] = useState<unknown>()
  const [isUnderWay, setIsUnderWay] = useState(false)
  const gone = useGone()
  const { fileinfo, filename } = object
  if (!fileinfo) return <span className="soft">{words.empty}</span>

  async function download(): Promise<void> {
    if (isUnderWay) return
    setError(undefined)
    if (!(await mayRead())) return
    const { signal } = gone.current
    setIsUnderWay(true)
    try {
      const bytes = await readFile(object.id, signal)
      if (!signal.aborted) saveFile(filename, bytes)
    } catch (refusal) {
      setError(refusal)
    } finally {
      setIsUnderWay(false)
    }
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
