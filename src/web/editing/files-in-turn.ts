import { useEffect, useEffectEvent, useState } from 'react'
import { useAction } from '../controls/action.ts'
import { TypingForm } from '../controls/kept-typing.ts'
import type { StoredTemplate } from '../interface/calls.ts'
import { carriedOver, changedIn, newDraft, type Draft } from './draft.ts'
import { takeOver, useDroppedFiles } from './dropped-files.ts'
import { recogniseFile } from './storing.ts'

/** What a new object begins with. */
export interface Beginning {
  readonly template: StoredTemplate
  readonly draft: Draft
  readonly file: File | undefined
  /** The files whose turn comes after this one. */
  readonly waiting?: readonly File[]
}

/** Whether something of it would be lost. */
export const hasTyped = ({ template, draft, file }: Beginning): boolean =>
  file !== undefined || Object.keys(changedIn(draft, newDraft(template))).length > 0

const filesOf = ({ file, waiting = [] }: Beginning): readonly File[] => (file ? [file, ...waiting] : waiting)

/** By vault and folder. */
export const newObjectTyping = new TypingForm<Beginning>()

/** Of the template that takes any file. */
const plainFileId = '3'

/** With the template as it is listed now: its labels are others once the person has chosen another language. */
function asOf(templates: readonly StoredTemplate[], one: Beginning | undefined): Beginning | undefined {
  const template = templates.find(({ id }) => id === one?.template.id)
  return one && template ? { ...one, template } : one
}

/**
 * The objects that are made one after the other: one of a template, or one of each file.
 *
 * @param begun What a person had typed when their session ended.
 */
export function useFilesInTurn(templates: readonly StoredTemplate[], begun: Beginning | undefined) {
  /** Those that are to be saved, the one at hand first. */
  const [files, setFiles] = useState(() => (begun ? filesOf(begun) : takeOver()))
  const [count, setCount] = useState(files.length)
  const [beginning, setBeginning] = useState(begun)
  /** What was typed before another template was asked for. */
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
  // What was typed for the file before the session ended stays.
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
  return {
    beginning: shown(beginning),
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
    /** Whether there is another file. */
    next: (): boolean => {
      if (files.length < 2) return false
      setBeginning(undefined)
      setFiles(files.slice(1))
      return true
    },
  }
}

export type FilesInTurn = ReturnType<typeof useFilesInTurn>
