import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { Dialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { useAskedByEscape } from '../controls/held-address.tsx'
import { LeavingQuestion } from '../controls/leaving-question.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { useWords, useWordsOf } from '../words/language.tsx'
import { pageQuery } from './link-reads.ts'
import { linkWords } from './link-words.ts'
import { NewLink, type StoredSecret } from './new-link.tsx'
import './links.css'

interface Props {
  /** Label of the field. */
  readonly field: string
  readonly stored: StoredSecret
  readonly onClose: () => void
}

/**
 * Creates a one-time link to a stored secret without showing the secret. Only its button and Escape close the dialog. It
 * asks first while the link is not copied, because the link cannot be shown again.
 */
export function ShareOnce({ field, stored, onClose }: Props) {
  const words = useWordsOf(linkWords)
  const { close, shareField } = useWords()
  const [isUncopied, setIsUncopied] = useState(false)
  const [isAsked, setIsAsked] = useAskedByEscape()
  const { data, error, refetch } = useQuery(pageQuery(undefined))
  const leave = isUncopied ? () => setIsAsked(true) : onClose
  return (
    <ModalOverlay className="overlay" isOpen onOpenChange={leave}>
      <Modal className="modal">
        <Dialog className="dialog">
          <Heading slot="title">{shareField(field)}</Heading>
          <p className="soft">{words.shareHelp}</p>
          {error && !data && <ErrorMessage error={error} onTryAgain={refetch} />}
          {!error && !data && <Loading />}
          {data && <NewLink limits={data.CALLINFO.limits} stored={stored} onUncopied={setIsUncopied} />}
          <div className="buttons">
            <Button className="button" onPress={leave}>
              {close}
            </Button>
          </div>
          {isAsked && <LeavingQuestion asked={words.leaving} onStay={() => setIsAsked(false)} onLeave={onClose} />}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
