import { Fingerprint } from 'lucide-react'
import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { useDone } from '../controls/change-done.ts'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { dayWords } from '../controls/moment-text.tsx'
import type { ListedPasskey } from '../interface/calls.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { ownPasskeysKey, useOwnPasskeys } from './me-reads.ts'
import { meWords } from './me-words.ts'
import { NewPasskey, PasskeyRemoval, PasskeyRenaming } from './passkey-dialogs.tsx'
import { passkeyWords } from './passkey-words.ts'

type Open =
  | { readonly kind: 'registration' }
  | { readonly kind: 'renaming'; readonly passkey: ListedPasskey }
  | { readonly kind: 'removal'; readonly passkey: ListedPasskey }

/** The person's passkeys, which replace a code at the login. */
export function PasskeySection({ userid }: { readonly userid: string }) {
  const words = useWordsOf(passkeyWords)
  const { data, error, refetch } = useOwnPasskeys(userid)
  const [open, setOpen] = useState<Open>()
  const change = { onClose: (): void => setOpen(undefined), onDone: useDone(ownPasskeysKey) }
  if (error && !data) return <ErrorMessage error={error} onTryAgain={refetch} />
  if (!data) return <Loading />
  const passkeys: readonly ListedPasskey[] = data.CALLINFO.passkeys
  return (
    <>
      {passkeys.length === 0 ? (
        <p className="soft">{words.none}</p>
      ) : (
        <ul className="items">
          {passkeys.map((passkey) => (
            <PasskeyItem
              key={passkey.id}
              passkey={passkey}
              onRename={() => setOpen({ kind: 'renaming', passkey })}
              onRemove={() => setOpen({ kind: 'removal', passkey })}
            />
          ))}
        </ul>
      )}
      <div className="buttons">
        <Button className="button" onPress={() => setOpen({ kind: 'registration' })}>
          {words.register}
        </Button>
      </div>
      {open?.kind === 'registration' && <NewPasskey {...change} />}
      {open?.kind === 'renaming' && <PasskeyRenaming passkey={open.passkey} {...change} />}
      {open?.kind === 'removal' && <PasskeyRemoval passkey={open.passkey} {...change} />}
    </>
  )
}

interface ItemProps {
  readonly passkey: ListedPasskey
  readonly onRename: () => void
  readonly onRemove: () => void
}

function PasskeyItem({ passkey: { name, created, used }, onRename, onRemove }: ItemProps) {
  const words = useWordsOf(passkeyWords)
  const ofFactors = useWordsOf(meWords)
  const { locale } = useWords()
  const day = (text: string): string => dayWords(text, locale)
  return (
    <li>
      <span className="tile">
        <Fingerprint aria-hidden />
      </span>
      <span className="texts">
        <span className="title">{name}</span>
        <span className="soft">
          {ofFactors.addedOn(day(created))}, {used === undefined ? ofFactors.neverUsed : ofFactors.usedOn(day(used))}
        </span>
      </span>
      <Button className="button small" aria-label={words.renamePasskey(name)} onPress={onRename}>
        {words.rename}
      </Button>
      <Button className="button small" aria-label={words.removePasskey(name)} onPress={onRemove}>
        {ofFactors.remove}
      </Button>
    </li>
  )
}
