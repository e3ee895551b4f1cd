import { Pencil, Power, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { useLocation } from 'wouter'
import { useAction } from '../controls/action.ts'
import { announce } from '../controls/announcement.tsx'
import { ConfirmQuestion } from '../controls/confirm-question.tsx'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { ViewTitle } from '../controls/view-title.tsx'
import { call, type ServiceAccount } from '../interface/calls.ts'
import { hidesData } from '../interface/refusal.ts'
import { useOwnCapability } from '../session/own-capability.ts'
import { useWords, useWordsOf } from '../words/spoken.tsx'
import { administrationWords } from './administration-words.ts'
import { MomentText } from '../controls/moment-text.tsx'
import { Told } from './once-shown.tsx'
import { ServiceCredentials } from './service-credentials.tsx'
import { ServiceDialog } from './service-dialog.tsx'
import { useService, useServicesAnew } from './service-reads.ts'
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
  if (hidesData(error, service)) return <NotLoaded error={error} onTryAgain={() => void refetch()} />
  if (!service) return <Loading />
  const { name, description, owner, active, created, expires, addresses } = service
  return (
    <div className="page administered">
      <nav className="crumbs" aria-label={where}>
        <a href={`#${home}`}>{parts.services}</a>
      </nav>
      <div className="heading">
        <div>
          <ViewTitle text={name} kind={parts.services} />
          {description !== '' && <p className="soft">{description}</p>}
        </div>
        <span className={active ? 'right' : 'right locked'}>{active ? words.active : words.disabled}</span>
      </div>
      {error && <ErrorMessage error={error} onTryAgain={() => void refetch()} />}
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
  const readAnew = useServicesAnew()
  const { error, run } = useAction()
  const [asked, setAsked] = useState<'edit' | 'disable' | 'remove'>()
  const close = (): void => setAsked(undefined)
  const params = { serviceid: service.id }
  async function turn(active: boolean, signal: AbortSignal): Promise<void> {
    const { CALLINFO } = await call('service.change', { params, body: { active }, signal })
    onTold(CALLINFO.general)
    await readAnew()
  }
  async function removeIt(signal: AbortSignal): Promise<void> {
    await call('service.remove', { params, signal })
    announce(words.removed(service.name))
    await readAnew()
    go(home)
  }
  return (
    <>
      <div className="acts">
        <Button className="button" onPress={() => setAsked('edit')}>
          <Pencil aria-hidden />
          {edit}
        </Button>
        <Button
          className="button"
          onPress={() => (service.active ? setAsked('disable') : void run((signal) => turn(true, signal)))}
        >
          <Power aria-hidden />
          {service.active ? words.disable : words.enable}
        </Button>
        <Button className="button" onPress={() => setAsked('remove')}>
          <Trash2 aria-hidden />
          {remove}
        </Button>
      </div>
      {error !== undefined && <ErrorMessage error={error} />}
      {asked === 'edit' && <ServiceDialog service={service} onClose={close} />}
      {asked === 'disable' && (
        <ConfirmQuestion
          title={words.disableTitle(service.name)}
          text={words.disableText}
          doText={words.disable}
          onDo={(signal) => turn(false, signal)}
          onClose={close}
        />
      )}
      {asked === 'remove' && (
        <ConfirmQuestion
          title={words.removeTitle(service.name)}
          text={words.removeText}
          doText={remove}
          onDo={removeIt}
          onClose={close}
        />
      )}
    </>
  )
}
