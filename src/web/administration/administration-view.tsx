import type { ReactNode } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { viewOf } from '../controls/view-of.tsx'
import { NotFoundView } from '../not-found-view.tsx'
import { NotAllowed } from '../session/not-allowed.tsx'
import { useOwnCapability } from '../session/own-capability.ts'
import { useWordsOf } from '../words/language.tsx'
import { isId } from '../interface/identifiers.ts'
import { administrationWords } from './administration-words.ts'
import { UsersView } from './users-view.tsx'
import './administration.css'

const [UserView] = viewOf(async () => (await import('./user-view.tsx')).UserView)
const [ServicesView] = viewOf(async () => (await import('./services-view.tsx')).ServicesView)
const [ServiceView] = viewOf(async () => (await import('./service-view.tsx')).ServiceView)
const [PoliciesView] = viewOf(async () => (await import('./policies-view.tsx')).PoliciesView)
const [TemplatesView] = viewOf(async () => (await import('./templates-view.tsx')).TemplatesView)
const [AuditView] = viewOf(async () => (await import('./audit-view.tsx')).AuditView)
const [StateView] = viewOf(async () => (await import('./state-view.tsx')).StateView)

const parts = ['users', 'services', 'audit', 'state', 'policies', 'templates'] as const
type Part = (typeof parts)[number]

/** The parts that the person may see. The interface checks each call itself. */
function useOwnParts(): readonly Part[] {
  const isAdministrator = useOwnCapability('admin')
  const mayAudit = useOwnCapability('audit')
  return parts.filter((part) => (part === 'audit' ? mayAudit : isAdministrator))
}

/** The views for administrators and auditors. */
export function AdministrationView() {
  const words = useWordsOf(administrationWords)
  const own = useOwnParts()
  const [first] = own
  const guarded = (part: Part, view: ReactNode): ReactNode => (own.includes(part) ? view : <NotAllowed />)
  if (first === undefined) return <NotAllowed />
  return (
    <>
      <nav className="parts" aria-label={words.partsLabel}>
        <ul>
          {own.map((part) => (
            <PartLink key={part} part={part} />
          ))}
        </ul>
      </nav>
      <Switch>
        <Route path="/administration">
          <Redirect to={`/administration/${first}`} replace />
        </Route>
        <Route path="/administration/users">{guarded('users', <UsersView />)}</Route>
        <Route path="/administration/users/:userid">
          {({ userid }) =>
            isId(userid) ? guarded('users', <UserView key={userid} userid={userid} />) : <NotFoundView />
          }
        </Route>
        <Route path="/administration/services">{guarded('services', <ServicesView />)}</Route>
        <Route path="/administration/services/:serviceid">
          {({ serviceid }) =>
            isId(serviceid) ? (
              guarded('services', <ServiceView key={serviceid} serviceid={serviceid} />)
            ) : (
              <NotFoundView />
            )
          }
        </Route>
        <Route path="/administration/policies">{guarded('policies', <PoliciesView />)}</Route>
        <Route path="/administration/templates">{guarded('templates', <TemplatesView />)}</Route>
        <Route path="/administration/templates/:templateid">
          {({ templateid }) =>
            isId(templateid) ? guarded('templates', <TemplatesView templateid={templateid} />) : <NotFoundView />
          }
        </Route>
        <Route path="/administration/audit">{guarded('audit', <AuditView />)}</Route>
        <Route path="/administration/state">{guarded('state', <StateView />)}</Route>
        <Route>
          <NotFoundView />
        </Route>
      </Switch>
    </>
  )
}

function PartLink({ part }: { readonly part: Part }) {
  const words = useWordsOf(administrationWords)
  const [address] = useLocation()
  const isHere = address.split('/')[2] === part
  return (
    <li>
      <a href={`#/administration/${part}`} aria-current={isHere ? 'page' : undefined}>
        {words.parts[part]}
      </a>
    </li>
  )
}
