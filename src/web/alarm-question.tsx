import { BellRing } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { Dialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { useWords } from './words/spoken.tsx'

interface Props {
  /** Name of the object. */
  readonly name: string
  readonly answer: (goesOn: boolean) => void
}

/** Asks before a secret is read whose reading raises an alarm. */
export function AlarmQuestion({ name, answer }: Props) {
  const words = useWords()
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={() => answer(false)}>
      <Modal className="modal">
        <Dialog role="alertdialog" className="dialog">
          <BellRing aria-hidden />
          <Heading slot="title">{words.alarmTitle}</Heading>
          <p>{words.alarmText(name)}</p>
          <div className="buttons">
            <Button className="button" autoFocus onPress={() => answer(false)}>
              {words.cancel}
            </Button>
            <Button className="button danger" onPress={() => answer(true)}>
              {words.alarmGo}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
