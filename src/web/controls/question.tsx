import type { ReactNode } from 'react'
import { Dialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'

interface Props {
  readonly icon?: ReactNode
  readonly title: string
  /** The text of the question. `actions` are its buttons. */
  readonly children: ReactNode
  readonly actions: ReactNode
  /** Called for Escape or a click beside the question. */
  readonly onClose: () => void
}

/** A modal question. */
export function Question({ icon, title, children, actions, onClose }: Props) {
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={onClose}>
      <Modal className="modal">
        <Dialog role="alertdialog" className="dialog">
          {icon}
          <Heading slot="title">{title}</Heading>
          {children}
          <div className="buttons">{actions}</div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
