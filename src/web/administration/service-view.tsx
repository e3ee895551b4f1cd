import { Pencil, Power, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { useLocation } from 'wouter'
import { useAction } from '../controls/action.ts'
import { ConfirmedButton } from '../controls/confirmed-button.tsx'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import { call, type ServiceAccount } from '../interface/calls.ts'
import { hidesData } from '../interface/refusal.ts'
import { useOwnCapability } from '../session/own-capability.ts'
import { useOpened } from '../session/typed-state.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { administrationWords } from './administration-words.ts'
import { MomentText } from '../controls/moment-text.tsx'
import { Told } from './once-shown.tsx'
import { ServiceCredentials } from './service-credentials.tsx'
import { ServiceDialog, serviceTyping } from './service-dialog.tsx'
import { useService, useServicesDone } from './service-reads.ts'
import { serviceWords } from './service-words.ts'
import './administration.css'

interface Props {
  readonly serviceid: string
  /** Address of the view that lists the account. */
  readonly home?: string
}

/** One service account and its credentials, for administrators and its owner. */
export function ServiceView({ serviceid, home = '/administration/services' }: Props) {
  const words = useWordsOf(serviceWords)
  const { parts, never } = useWordsOf(administrationWords)
  const { where } = useWords()
  const { data: service, error, refetch } = useService(serviceid)
  const isAdministrator = useOwnCapability('admin')
  const [told, setTold] = useState<readonly string[]>([])
  if (hidesData(error, service)) return <NotLoaded error={error} onTryAgain={refetch} />
  if (!service) return <Loading />
  const { name, description, owner, active, created, expires, addresses } = service
  return (
    <div className="page administered">
      <nav className="crumbs" aria-label={where}>
        <a href={`#${home}`}>{parts.services}</a>
      </nav>
      <ViewHeading title={name} kind={parts.services} introduction={description || undefined}>
        <span className={active ? 'right' : 'right locked'}>{active ? words.active : words.disabled}</span>
      </ViewHeading>
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
      <Told sentences={told} />
      <dl className="fields card">
        <div>
          <dt>{words.number}</dt>
          <dd className="value">{service.id}</dd>
        </div>
        <div>
          <dt>{words.owner}</dt>
          <dd className="value">
            {isAdministrator ? <a href={`#/administration/users/${owner.id}`}>{owner.username}</a> : owner.username}
          </dd>
        </div>
        <div>
          <dt>{words.madeAt}</dt>
          <dd className="value">
            <MomentText at={created} />
          </dd>
        </div>
        <div>
          <dt>{words.expires}</dt>
          <dd className="value">{expires === 'never' ? never : <MomentText at={expires} />}</dd>
        </div>
        <div>
          <dt>{words.addresses}</dt>
          <dd className="value text">{addresses.length === 0 ? words.anyAddress : addresses.join('\n')}</dd>
        </div>
      </dl>
      <ServiceActs service={service} home={home} onTold={setTold} />
      <ServiceCredentials service={service} onTold={setTold} />
      <p className="soft hint">{words.grantsNotice}</p>
    </div>
  )
}

interface ActsProps {
  readonly service: ServiceAccount
  readonly home: string
  readonly onTold: (sentences: readonly string[]) => void
}

function ServiceActs({ service, home, onTold }: ActsProps) {
  const words = useWordsOf(serviceWords)
  const { edit, remove } = useWordsOf(administrationWords)
  const [, go] = useLocation()
  const done = useServicesDone()
  const { error, run } = useAction()
  const [isEditing, setIsEditing] = useOpened<boolean>(() => [[true, serviceTyping, service.id]])
  const params = { serviceid: service.id }
  async function turn(active: boolean, signal: AbortSignal): Promise<void> {
    const { CALLINFO } = await call('service.change', { params, body: { active }, signal })
    onTold(CALLINFO.general)
    await done()
  }
  async function removeIt(signal: AbortSignal): Promise<void> {
    await call('service.remove', { params, signal })
    await done(words.removed(service.name))
    go(home)
  }
  return (
    <>
      <div className="acts">
        <Button className="button" onPress={() => setIsEditing(true)}>
          <Pencil aria-hidden />
          {edit}
        </Button>
        {service.active ? (
          <ConfirmedButton
            icon={<Power aria-hidden />}
            text={words.disable}
            title={words.disableTitle(service.name)}
            question={words.disableText}
            onConfirm={(signal) => turn(false, signal)}
          />
        ) : (
          <Button className="button" onPress={() => void run((signal) => turn(true, signal))}>
            <Power aria-hidden />
            {words.enable}
          </Button>
        )}
        <ConfirmedButton
          icon={<Trash2 aria-hidden />}
          text={remove}
          title={words.removeTitle(service.name)}
          question={words.removeText}
          onConfirm={removeIt}
        />
      </div>
      {error !== undefined && <ErrorMessage error={error} />}
      {isEditing && <ServiceDialog service={service} onClose={() => setIsEditing(false)} />}
    </>
  )
}
