import { Clock } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { Dialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { useWords } from './words/spoken.tsx'

/** A minute before the page is locked (WCAG 2.2.1). */
export function IdleWarning({ onStay }: { readonly onStay: () => void }) {
  const words = useWords()
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={onStay}>
      <Modal className="modal">
        <Dialog role="alertdialog" className="dialog">
          <Clock aria-hidden />
          <Heading slot="title">{words.idleTitle}</Heading>
          <p>{words.idleText}</p>
          <div className="buttons">
            <Button className="button primary" autoFocus onPress={onStay}>
              {words.stay}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
