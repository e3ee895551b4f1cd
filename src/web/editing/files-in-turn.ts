import { useEffect, useEffectEvent, useState } from 'react'
import { useAction } from '../controls/action.ts'
import { TypingForm } from '../controls/kept-typing.ts'
import type { StoredTemplate } from '../interface/calls.ts'
import { carriedOver, changedIn, newDraft, type Draft } from './draft.ts'
import { takeOver, useDroppedFiles } from './dropped-files.ts'
import { recogniseFile } from './storing.ts'

/** The template, values and file of a new object. */
export interface Beginning {
  readonly template: StoredTemplate
  readonly draft: Draft
  readonly file: File | undefined
  /** The files that come after this one. */
  readonly waiting?: readonly File[]
}

/** Whether typed values or a file would be lost. */
export const hasTyped = ({ template, draft, file }: Beginning): boolean =>
  file !== undefined || Object.keys(changedIn(draft, newDraft(template))).length > 0

/** What a person leaves behind: without a template where a file was not yet looked at. */
type Left = Pick<Beginning, 'file' | 'waiting'> & Partial<Beginning>

const filesOf = ({ file, waiting = [] }: Left): readonly File[] => (file ? [file, ...waiting] : waiting)

/** Kept input of new objects. Its place is vault and folder. */
export const newObjectTyping = new TypingForm<Left>()

/** Id of the template that takes any file. */
const plainFileId = '3'

/** Replaces the template by the present one, whose labels differ after a change of language. */
function asOf(templates: readonly StoredTemplate[], one: Beginning | undefined): Beginning | undefined {
  const template = templates.find(({ id }) => id === one?.template.id)
  return one && template ? { ...one, template } : one
}

function beginningIn(left: Left | undefined): Beginning | undefined {
  if (left?.template === undefined || left.draft === undefined) return undefined
  const { template, draft, file } = left
  return { template, draft, file }
}

/**
 * Creates objects one after the other: one object of a template, or one for each file.
 * @param begun The input that the person had left when their session ended.
 */
export function useFilesInTurn(templates: readonly StoredTemplate[], begun: Left | undefined) {
  /** The files that are left, beginning with the present one. */
  const [files, setFiles] = useState(() => (begun ? filesOf(begun) : takeOver()))
  const [count, setCount] = useState(files.length)
  const [beginning, setBeginning] = useState(() => beginningIn(begun))
  /** The input before the person asked for another template. */
  const [kept, setKept] = useState<Beginning>()
  const { isUnderWay, error, run } = useAction()

  const look = (file: File): void =>
    void run(async (signal) => {
      const { templateid, values } = await recogniseFile(file, signal)
      const takingFiles = templates.filter(({ info }) => info.file !== undefined)
      const template = [templateid, plainFileId].map((id) => takingFiles.find((one) => one.id === id)).find(Boolean)
      if (template) setBeginning({ template, draft: newDraft(template, values), file })
    })
  const [first] = files
  // Input that was kept over the end of the session replaces the values read from the file.
  const lookAtFirst = useEffectEvent((file: File) => {
    if (file !== begun?.file) look(file)
  })
  useEffect(() => {
    if (first) lookAtFirst(first)
  }, [first])

  const begin = (chosen: readonly File[]): void => {
    setCount(chosen.length)
    setFiles(chosen)
    setKept(undefined)
  }
  useDroppedFiles((dropped) => {
    if (beginning === undefined && kept === undefined && !isUnderWay) begin(dropped)
  })
  const shown = (one: Beginning | undefined): Beginning | undefined => {
    const now = asOf(templates, one)
    return now && { ...now, waiting: files.slice(1) }
  }
  const left: Left | undefined =
    kept && hasTyped(kept) ? shown(kept) : files.length > 0 ? { file: undefined, waiting: files } : undefined
  return {
    beginning: shown(beginning),
    /** What would be lost while no form is shown. */
    left: beginning ? undefined : left,
    kept: shown(kept),
    isLooking: isUnderWay,
    error,
    begin,
    at: count - files.length + 1,
    count,
    lookAgain: () => {
      if (first) look(first)
    },
    choose: (template: StoredTemplate): void => {
      const draft = kept ? carriedOver(kept.draft, kept.template, template).draft : newDraft(template)
      setBeginning({ template, draft, file: kept?.file })
      setKept(undefined)
    },
    chooseAgain: (typed: Beginning): void => {
      setKept(typed)
      setBeginning(undefined)
    },
    /** Goes on to the next file. Returns whether there is one. */
    next: (): boolean => {
      if (files.length < 2) return false
      setBeginning(undefined)
      setFiles(files.slice(1))
      return true
    },
  }
}

export type FilesInTurn = ReturnType<typeof useFilesInTurn>
