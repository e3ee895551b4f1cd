import { KeySquare, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { ConfirmedButton } from '../controls/confirmed-button.tsx'
import { call, type ServiceAccount } from '../interface/calls.ts'
import { useOpened } from '../session/typed-state.ts'
import { useWordsOf } from '../words/language.tsx'
import { administrationWords } from './administration-words.ts'
import { CredentialDialog, credentialTyping } from './credential-dialog.tsx'
import { MomentText } from '../controls/moment-text.tsx'
import { OnceShown, type OnceTold } from './once-shown.tsx'
import { useServicesDone } from './service-reads.ts'
import { serviceWords } from './service-words.ts'

type Credential = ServiceAccount['credentials'][number]

interface Props {
  readonly service: ServiceAccount
  readonly onTold: (sentences: readonly string[]) => void
}

/** The credentials of a service account. */
export function ServiceCredentials({ service, onTold }: Props) {
  const words = useWordsOf(serviceWords)
  const [isAdding, setIsAdding] = useOpened<boolean>(() => [[true, credentialTyping, service.id]])
  const [made, setMade] = useState<OnceTold>()
  return (
    <section aria-labelledby="credentials">
      <h2 id="credentials">{words.credentials}</h2>
      {service.credentials.length === 0 ? (
        <p className="soft">{words.noCredentials}</p>
      ) : (
        <ul className="entries">
          {service.credentials.map((credential) => (
            <CredentialEntry key={credential.id} service={service} credential={credential} />
          ))}
        </ul>
      )}
      <div className="acts">
        <Button className="button" onPress={() => setIsAdding(true)}>
          <Plus aria-hidden />
          {words.addCredential}
        </Button>
      </div>
      {isAdding && (
        <CredentialDialog service={service} onMade={setMade} onTold={onTold} onClose={() => setIsAdding(false)} />
      )}
      {made && <OnceShown {...made} onClose={() => setMade(undefined)} />}
    </section>
  )
}

interface EntryProps {
  readonly service: ServiceAccount
  readonly credential: Credential
}

function CredentialEntry({ service, credential }: EntryProps) {
  const words = useWordsOf(serviceWords)
  const { remove, never } = useWordsOf(administrationWords)
  const done = useServicesDone()
  const { id, kind, name, expires, lastuse: use } = credential
  const kindText = Object.entries(words.kinds).find(([known]) => known === kind)?.[1] ?? kind
  async function removeIt(signal: AbortSignal): Promise<void> {
    await call('service.credential.remove', { params: { serviceid: service.id, credentialid: id }, signal })
    await done(words.credentialRemoved)
  }
  return (
    <li className="entry">
      <span className="tile">
        <KeySquare aria-hidden />
      </span>
      <span className="texts">
        <span className="title">{name}</span>
        <span className="soft">{[kindText, ...detailsOf(credential)].join(' · ')}</span>
        <span className="soft">
          {words.expires} {expires === 'never' ? never.toLowerCase() : <MomentText at={expires} />}
          {' · '}
          {use === null ? (
            words.notUsed
          ) : (
            <>
              {words.lastUse} <MomentText at={use.at} /> {words.from} {use.address}
            </>
          )}
        </span>
      </span>
      <ConfirmedButton
        isSmall
        icon={<Trash2 aria-hidden />}
        text={remove}
        label={words.removeCredential(name)}
        title={words.removeCredentialTitle}
        question={`${name}. ${words.removeCredentialText}`}
        onConfirm={removeIt}
      />
    </li>
  )
}

/** Details that distinguish a credential from others. */
function detailsOf({ sha256, san, kid, issuer, claims }: Credential): string[] {
  const known = [
    sha256 && `SHA-256 ${sha256.slice(0, 16)}…`,
    san && `${san.type}:${san.pattern}`,
    kid,
    issuer,
    ...Object.entries(claims ?? {}).map(([name, value]) => `${name}=${value}`),
  ]
  return known.filter((text) => text !== undefined)
}
