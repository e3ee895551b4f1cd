import { FileText, Upload } from 'lucide-react'
import { useId, useRef, useState, type DragEvent } from 'react'
import { Button } from 'react-aria-components/Button'
import { useWords, useWordsOf } from '../words/language.tsx'
import { editingWords } from './editing-words.ts'
import { droppedOf, hasFiles } from './dropped-files.ts'

interface Props {
  readonly label: string
  /** File name extensions, or `*`. */
  readonly accepted: string
  readonly file: File | undefined
  /** Name of the file that is stored now. */
  readonly storedName?: string | undefined
  readonly invitation: string
  readonly error?: string | undefined
  readonly hasMany?: boolean
  readonly onFiles: (files: readonly File[]) => void
}

/** Takes a file by a drop or by the browser's dialog. */
export function FileDropInput(props: Props) {
  const { label, accepted, file, storedName, invitation, error, hasMany = false, onFiles } = props
  const words = useWords()
  const own = useWordsOf(editingWords)
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const { isOver, hasFolder, ...target } = useDropTarget((files) => onFiles(hasMany ? files : files.slice(0, 1)))
  const trouble = hasFolder ? words.folderDropped : error
  return (
    <div className="drop" role="group" aria-labelledby={id} data-over={isOver || undefined} {...target}>
      <span id={id} className="label">
        {label}
      </span>
      <div className="line">
        {file ? <FileText aria-hidden /> : <Upload aria-hidden />}
        <span className="texts">
          {file ? (
            <>
              <span className="title">{file.name}</span>
              <span className="soft">{words.bytes(file.size)}</span>
            </>
          ) : (
            <span className="soft">{storedName ?? invitation}</span>
          )}
        </span>
        <Button
          className="button small"
          {...(trouble !== undefined && { 'aria-describedby': `${id}-error` })}
          onPress={() => input.current?.click()}
        >
          {file || storedName !== undefined ? own.chooseOther : words.chooseFile}
        </Button>
      </div>
      {file && storedName !== undefined && <p className="soft">{own.isReplaced(storedName)}</p>}
      {trouble !== undefined && (
        <p id={`${id}-error`} className="react-aria-FieldError" role="alert">
          {trouble}
        </p>
      )}
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        multiple={hasMany}
        accept={accepted === '*' ? undefined : accepted.replaceAll(/[^,]+/g, '.$&')}
        onChange={({ currentTarget }) => {
          const chosen = Array.from(currentTarget.files ?? [])
          // Otherwise the browser would not report the same file a second time.
          currentTarget.value = ''
          if (chosen.length > 0) onFiles(chosen)
        }}
      />
    </div>
  )
}

/** Takes dropped files, but no folders. */
function useDropTarget(onFiles: (files: readonly File[]) => void) {
  const [isOver, setIsOver] = useState(false)
  const [hasFolder, setHasFolder] = useState(false)
  return {
    isOver,
    hasFolder,
    onDragOver(event: DragEvent): void {
      if (!hasFiles(event.dataTransfer)) return
      event.preventDefault()
      setIsOver(true)
    },
    onDragLeave: () => setIsOver(false),
    onDrop(event: DragEvent): void {
      setIsOver(false)
      if (!hasFiles(event.dataTransfer)) return
      event.preventDefault()
      // Stops the handler for the whole page.
      event.stopPropagation()
      const { files, hasFolder: isFolder } = droppedOf(event.dataTransfer)
      setHasFolder(isFolder)
      if (files.length > 0) onFiles(files)
    },
  }
}
