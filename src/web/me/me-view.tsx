import { useId, type ReactNode } from 'react'
import { Choice } from '../controls/choice.tsx'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { Loading } from '../controls/loading.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import { dayWords } from '../controls/moment-text.tsx'
import { usePreferences, useWords, useWordsOf } from '../words/language.tsx'
import { idleMs } from '../session/idleness.ts'
import { useOwnServices } from '../administration/service-reads.ts'
import { useOfferedFactors } from '../session/offered-factors.ts'
import { AccountForm } from './account-form.tsx'
import { CardSection } from './card-section.tsx'
import { DeviceSection } from './device-section.tsx'
import { useOwnAccount } from './me-reads.ts'
import { meWords } from './me-words.ts'
import { PasskeySection } from './passkey-section.tsx'
import { passkeyWords } from './passkey-words.ts'
import { PassphraseForm } from './passphrase-form.tsx'
import { ServiceSection } from './service-section.tsx'
import { SessionSection } from './session-section.tsx'
import './me.css'

/** The person's own account. */
export function MeView() {
  const words = useWordsOf(meWords)
  const ofPasskeys = useWordsOf(passkeyWords)
  const isForPasskeys = useOfferedFactors().data?.includes('webauthn') === true
  const { locale } = useWords()
  const { data, error, refetch } = useOwnAccount()
  const services = useOwnServices(data?.CALLINFO.userid)
  if (error && !data) return <NotLoaded error={error} onTryAgain={refetch} />
  if (!data) return <Loading />
  const { userid, resting, passphrase_changed: changed, timeout } = data.CALLINFO
  return (
    <div className="page me">
      <ViewHeading title={words.title} />
      {resting > 0 && (
        <p className="notice" role="status">
          {words.onHold(resting)}
        </p>
      )}
      <MeSection title={words.account} help={words.ownNumber(userid)}>
        <AccountForm account={data.CALLINFO} />
      </MeSection>
      <MeSection title={words.passphrase} help={words.passphraseChanged(dayWords(changed, locale))}>
        <PassphraseForm />
      </MeSection>
      <MeSection title={words.devices} help={words.devicesHelp}>
        <DeviceSection userid={userid} isOnHold={resting > 0} />
      </MeSection>
      {isForPasskeys && (
        <MeSection title={ofPasskeys.passkeys} help={ofPasskeys.passkeysHelp}>
          <PasskeySection userid={userid} />
        </MeSection>
      )}
      <MeSection title={words.sessions} help={words.sessionsHelp}>
        <SessionSection userid={userid} />
        <p className="soft">{words.idle(minutesOf(idleMs), minutesOf(timeout))}</p>
      </MeSection>
      <MeSection title={words.certificate}>
        <CardSection />
      </MeSection>
      {services.length > 0 && (
        <MeSection title={words.services} help={words.servicesHelp}>
          <ServiceSection services={services} />
        </MeSection>
      )}
      <MeSection title={words.appearance}>
        <Appearance />
      </MeSection>
    </div>
  )
}

const minutesOf = (ms: number): number => Math.max(1, Math.round(ms / 60_000))

function MeSection({ title, help, children }: { title: string; help?: string; children: ReactNode }) {
  const heading = useId()
  return (
    <section className="card" aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      {help !== undefined && <p className="soft">{help}</p>}
      {children}
    </section>
  )
}

function Appearance() {
  const words = useWordsOf(meWords)
  const { preferences, choose } = usePreferences()
  const languages = ['en', 'sv'] as const
  const themes = ['system', 'light', 'dark'] as const
  return (
    <div className="form">
      <Choice
        label={words.language}
        options={languages.map((value) => ({ value, text: words.languages[value] }))}
        value={preferences.language}
        onChange={(language) => choose({ language })}
      />
      <Choice
        label={words.theme}
        options={themes.map((value) => ({ value, text: words.themes[value] }))}
        value={preferences.theme}
        onChange={(theme) => choose({ theme })}
      />
    </div>
  )
}
