import { useState, type FormEvent, type ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { Dialog } from 'react-aria-components/Dialog'
import { Form, FormContext } from 'react-aria-components/Form'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { useWords } from '../words/language.tsx'
import { useAction } from './action.ts'
import { useAskedByEscape, useHeldAddress } from './held-address.tsx'
import { LeavingQuestion } from './leaving-question.tsx'
import { useIsTypingKept } from './kept-typing.ts'
import { useIsSlow } from './slow-work.ts'
import { ErrorMessage } from './error-message.tsx'

interface Props {
  readonly title: string
  readonly children: ReactNode
  /** Text of the submit button; undefined where the form cannot be submitted. */
  readonly submitText: string | undefined
  readonly isDangerous?: boolean
  /**
   * Submits the form. The dialog closes when it resolves, except to false. When it rejects, the dialog stays with the
   * typed values and shows the error. `typed`: the trimmed text of the field with a name.
   */
  readonly onSubmit: (signal: AbortSignal, typed: (name: string) => string) => Promise<void | boolean>
  readonly onClose: () => void
}

/**
 * A form in a modal dialog. Only its buttons and Escape close it, because a click beside it would lose the typed
 * values. Escape and the browser's buttons ask first.
 */
export function FormDialog({ title, children, submitText, isDangerous = false, onSubmit, onClose }: Props) {
  const words = useWords()
  const { isUnderWay, error, run } = useAction()
  const isSlow = useIsSlow(isUnderWay)
  const [isTouched, setIsTouched] = useState(false)
  const isKept = useIsTypingKept()
  const [wasKept] = useState(isKept)
  // A form that opens with what was kept over the end of the session takes it up, so that it is kept no longer.
  const isRestored = wasKept && !isKept
  const isTyped = isTouched || isRestored
  const question = useHeldAddress(isTyped, { isSaving: isUnderWay })
  const [isAsked, setIsAsked] = useAskedByEscape()
  /** React Aria passes it on to the form, but does not declare it. */
  const touching = { onInput: () => setIsTouched(true) }
  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    // React would pass the event on to the form around the dialog.
    event.stopPropagation()
    if (submitText === undefined) return
    const form = new FormData(event.currentTarget)
    const typed = (name: string): string => {
      const value = form.get(name)
      return typeof value === 'string' ? value.trim() : ''
    }
    let isDone = true
    const task = async (signal: AbortSignal): Promise<void> => {
      isDone = (await onSubmit(signal, typed)) !== false
    }
    if ((await run(task)) && isDone) onClose()
  }
  return (
    <ModalOverlay className="overlay" isOpen onOpenChange={isTyped ? () => setIsAsked(true) : onClose}>
      <Modal className="modal">
        <Dialog className="dialog">
          <Heading slot="title">{title}</Heading>
          {/* Without this, the form would inherit the submit handler of a surrounding React Aria form. */}
          <FormContext value={null}>
            <Form className="form" {...touching} onSubmit={(event) => void submit(event)}>
              {children}
              {error !== undefined && <ErrorMessage error={error} />}
              <div className="buttons">
                <Button className="button" onPress={onClose}>
                  {words.cancel}
                </Button>
                {submitText !== undefined && (
                  <Button type="submit" className={isDangerous ? 'button danger' : 'button primary'}>
                    {isSlow ? words.underWay : submitText}
                  </Button>
                )}
              </div>
            </Form>
          </FormContext>
          {question ??
            (isAsked && !isUnderWay && <LeavingQuestion onStay={() => setIsAsked(false)} onLeave={onClose} />)}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
