import { Button } from 'react-aria-components/Button'
import { Dialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { copySecret } from '../controls/clipboard.ts'
import { useHeldAddress } from '../controls/held-address.tsx'
import { useWordsOf } from '../words/language.tsx'
import { administrationWords } from './administration-words.ts'

/** A secret that the appliance has generated and shows only once. */
export interface OnceTold {
  readonly title: string
  /** Its name, for example a seed. */
  readonly label: string
  readonly secret: string
  /** Data URL of an image: the same as a QR code. */
  readonly qr?: string | undefined
  /** Further sentences of the appliance. */
  readonly told?: readonly string[]
}

interface Props extends OnceTold {
  readonly help?: string
  readonly onClose: () => void
}

/**
 * Shows a secret that cannot be shown again. Only its button closes it, not a key that is pressed by mistake. The
 * browser's buttons ask first.
 */
export function OnceShown({ title, label, secret, qr, told = [], help, onClose }: Props) {
  const words = useWordsOf(administrationWords)
  const question = useHeldAddress(true, { asked: words.leaving })
  return (
    <ModalOverlay className="overlay" isOpen isKeyboardDismissDisabled>
      <Modal className="modal">
        <Dialog role="alertdialog" className="dialog once">
          <Heading slot="title">{title}</Heading>
          {help !== undefined && <p>{help}</p>}
          {qr?.startsWith('data:image/') && <img className="qr" alt={words.qr} src={qr} />}
          <p className="soft">{label}</p>
          <p className="value code">{secret}</p>
          <p className="mark-weak">{words.once}</p>
          <Told sentences={told} />
          <div className="buttons">
            <Button className="button" onPress={() => void copySecret(label, secret)}>
              {words.copySecret}
            </Button>
            <Button className="button primary" onPress={onClose}>
              {words.done}
            </Button>
          </div>
          {question}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

/** Sentences of the appliance about a change, in English. */
export function Told({ sentences }: { readonly sentences: readonly string[] }) {
  if (sentences.length === 0) return null
  return (
    <div className="told" role="status">
      {sentences.map((sentence) => (
        <p key={sentence} lang="en">
          {sentence}
        </p>
      ))}
    </div>
  )
}
