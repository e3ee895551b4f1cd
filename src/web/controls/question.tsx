import type { ReactNode } from 'react'
import { Dialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'

interface Props {
  readonly icon?: ReactNode
  readonly title: string
  /** What is asked; the buttons are `actions`. */
  readonly children: ReactNode
  readonly actions: ReactNode
  /** By Escape, or by a click beside it. */
  readonly onClose: () => void
}

/** Stands before the page until it is answered. */
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
