import { CircleUser, Languages, LogOut, Moon, Sun, SunMoon, X } from 'lucide-react'
import { useEffect, type ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { useLocation } from 'wouter'
import { BrokenPage } from './controls/broken-page.tsx'
import { Announcement } from './controls/announcement.tsx'
import { ClipboardNotice } from './controls/clipboard-notice.tsx'
import { useKeptFocus } from './controls/kept-focus.ts'
import { WorkNotice } from './controls/work-notice.tsx'
import { IdleWarning } from './session/idle-warning.tsx'
import type { Theme } from './preferences.ts'
import { useLinkAddress } from './links/link-address.ts'
import { useOwnCapability } from './session/own-capability.ts'
import { usePassphraseDue } from './session/passphrase-due.ts'
import { useSession } from './session/session.tsx'
import { Loading } from './controls/loading.tsx'
import { LoginView } from './session/login-view.tsx'
import { loadAhead, loadOthers, OpenedLinkView, PassphraseDueView, Views } from './views.tsx'
import { usePreferences, useWords } from './words/language.tsx'

/** Milliseconds after the first view before the code of the others is loaded. */
const firstLookMs = 500

/** The frame of every view: the name, the logged-in person, language, colours. */
export function Shell() {
  const words = useWords()
  const { person, isChecked, isNearlyIdle, stay } = useSession()
  const link = useLinkAddress()
  useKeptFocus()
  return (
    <>
      <a
        className="skip"
        href="#content"
        onClick={(event) => {
          // The fragment holds the address of the view, so the link must not change it.
          event.preventDefault()
          document.getElementById('content')?.focus()
        }}
      >
        {words.skip}
      </a>
      <Header />
      <Advice />
      <main id="content" tabIndex={-1}>
        {link !== undefined ? (
          <OpenedLinkView key={`${link} ${person?.userid}`} opener={link.split('/')[2]} secret={link.split('/')[3]} />
        ) : isChecked ? (
          person === undefined ? (
            <LoginView onShown={loadAhead} />
          ) : (
            <PersonsViews key={person.userid} />
          )
        ) : (
          <Loading />
        )}
      </main>
      {/* React Aria makes everything outside of an open dialog inert, but this. */}
      <div className="notices" data-react-aria-top-layer="true">
        <Announcement />
        <WorkNotice />
        <ClipboardNotice />
      </div>
      {isNearlyIdle && <IdleWarning onStay={stay} />}
    </>
  )
}

const useMayAdminister = (): boolean => [useOwnCapability('admin'), useOwnCapability('audit')].includes(true)

/** The views of a logged-in person. A new pass phrase that is due comes before them. */
function PersonsViews() {
  const [address] = useLocation()
  const due = usePassphraseDue()
  const mayAdminister = useMayAdminister()
  useEffect(() => {
    const loading = setTimeout(() => loadOthers(mayAdminister), firstLookMs)
    return () => clearTimeout(loading)
  }, [mayAdminister])
  return <BrokenPage address={address}>{due ? <PassphraseDueView due={due} /> : <Views />}</BrokenPage>
}

/** The navigation that every view has. */
function MainNavigation() {
  const words = useWords()
  const [address] = useLocation()
  const mayAdminister = useMayAdminister()
  const places = [
    { href: '#/', text: words.vaults, isHere: /^\/($|vault|object)/.test(address) },
    { href: '#/exchange', text: words.exchange, isHere: /^\/(exchange|links)/.test(address) },
    ...(mayAdminister
      ? [{ href: '#/administration', text: words.administration, isHere: address.startsWith('/administration') }]
      : []),
  ]
  return (
    <nav className="places" aria-label={words.places}>
      <ul>
        {places.map(({ href, text, isHere }) => (
          <li key={href}>
            <a href={href} aria-current={isHere ? 'page' : undefined}>
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

const nextTheme: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' }
const themeIcons: Readonly<Record<Theme, ReactNode>> = {
  system: <SunMoon aria-hidden />,
  light: <Sun aria-hidden />,
  dark: <Moon aria-hidden />,
}

function Header() {
  const words = useWords()
  const { preferences, choose } = usePreferences()
  const { person, logout } = useSession()
  const goesAnywhere = usePassphraseDue() === undefined
  const { theme, language } = preferences
  const other = language === 'sv' ? 'en' : 'sv'
  return (
    <header className="top">
      <a className="name" href="#/" aria-label="Strongroom">
        <Mark />
        <span className="wide">Strongroom</span>
      </a>
      {person && goesAnywhere && <MainNavigation />}
      <div className="tools">
        {person && goesAnywhere && (
          <a
            className="quiet"
            href="#/me"
            aria-label={words.loggedInAs(person.fullname)}
            title={words.loggedInAs(`${person.fullname} (${person.username})`)}
          >
            <CircleUser aria-hidden />
            <span className="person">{person.fullname}</span>
          </a>
        )}
        <Button
          className="quiet"
          lang={other}
          aria-label={words.otherLanguage}
          onPress={() => choose({ language: other })}
        >
          <Languages aria-hidden />
          <span className="wide">{words.otherLanguage}</span>
        </Button>
        <Button className="quiet" aria-label={words.themes[theme]} onPress={() => choose({ theme: nextTheme[theme] })}>
          {themeIcons[theme]}
        </Button>
        {person && (
          <Button className="quiet" aria-label={words.logout} onPress={() => logout()}>
            <LogOut aria-hidden />
            <span className="wide">{words.logout}</span>
          </Button>
        )}
      </div>
    </header>
  )
}

/** The logo: the wheel of a lock, in the colours of the page. */
function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className="mark">
      <rect width="32" height="32" rx="8" />
      <circle cx="16" cy="16" r="8" />
      <path d="M16 16V9.5M16 16l5.6 3.3M16 16l-5.6 3.3" />
    </svg>
  )
}

/** The messages of the appliance at the login, until the person closes them. */
function Advice() {
  const words = useWords()
  const { advice, dismissAdvice } = useSession()
  const sentences = Object.entries(advice)
  if (sentences.length === 0) return null
  return (
    <aside className="advice" aria-label={words.knowThis}>
      <ul>
        {sentences.map(([name, sentence]) => (
          <Told key={name} known={words.told[name]} sentence={sentence} />
        ))}
      </ul>
      <Button className="quiet" aria-label={words.close} onPress={dismissAdvice}>
        <X aria-hidden />
      </Button>
    </aside>
  )
}

/**
 * A message in the person's language, where it is known. Only the appliance's own sentence has the numbers and names,
 * so one with digits is shown, too.
 */
function Told({ known, sentence }: { readonly known: string | undefined; readonly sentence: string }) {
  return (
    <li>
      {known !== undefined && `${known} `}
      {(known === undefined || /\d/.test(sentence)) && <span lang="en">{sentence}</span>}
    </li>
  )
}
