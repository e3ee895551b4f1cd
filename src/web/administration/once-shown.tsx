import { Button } from 'react-aria-components/Button'
import { Dialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { copySecret } from '../controls/clipboard.ts'
import { useWordsOf } from '../words/spoken.tsx'
import { administrationWords } from './administration-words.ts'

/** What the appliance has made, and tells this once. */
export interface OnceTold {
  readonly title: string
  /** What it is, for example a seed. */
  readonly label: string
  readonly secret: string
  /** The same as a QR code: the address of an image. */
  readonly qr?: string | undefined
  /** What the appliance says besides. */
  readonly told?: readonly string[]
}

interface Props extends OnceTold {
  readonly help?: string
  readonly onClose: () => void
}

/** Only its button closes it: a key that is pressed by mistake would lose what cannot be shown again. */
export function OnceShown({ title, label, secret, qr, told = [], help, onClose }: Props) {
  const words = useWordsOf(administrationWords)
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
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

/** What the appliance says of what was done, in English. */
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
