import { useQuery } from '@tanstack/react-query'
import { Button } from 'react-aria-components/Button'
import { Dialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { Slow } from '../controls/slow.tsx'
import { Trouble } from '../controls/trouble.tsx'
import { useWords, useWordsOf } from '../words/spoken.tsx'
import { pageQuery } from './link-reads.ts'
import { linkWords } from './link-words.ts'
import { NewLink, type StoredSecret } from './new-link.tsx'
import './links.css'

interface Props {
  /** The label of the field. */
  readonly field: string
  readonly stored: StoredSecret
  readonly onClose: () => void
}

/** Makes a one-time link of a stored secret, without showing the secret. Only its button closes it: a link cannot be shown again. */
export function ShareOnce({ field, stored, onClose }: Props) {
  const words = useWordsOf(linkWords)
  const { close, shareField } = useWords()
  const { data, error, refetch } = useQuery(pageQuery(undefined))
  return (
    <ModalOverlay className="overlay" isOpen isKeyboardDismissDisabled>
      <Modal className="modal">
        <Dialog className="dialog">
          <Heading slot="title">{shareField(field)}</Heading>
          <p className="soft">{words.shareHelp}</p>
          {error && !data && <Trouble error={error} onTryAgain={() => void refetch()} />}
          {!error && !data && <Slow />}
          {data && <NewLink limits={data.CALLINFO.limits} stored={stored} />}
          <div className="buttons">
            <Button className="button" onPress={onClose}>
              {close}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
