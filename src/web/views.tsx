import { Redirect, Route, Switch } from 'wouter'
import { viewOf } from './controls/view-of.tsx'
import { isId, isKeyName } from './interface/identifiers.ts'
import { NotFoundView } from './not-found-view.tsx'

const [VaultsView, loadVaults] = viewOf(async () => (await import('./vaults/vaults-view.tsx')).VaultsView)
const [VaultView, loadVault] = viewOf(async () => (await import('./vaults/vault-view.tsx')).VaultView)
const [ObjectView, loadObject] = viewOf(async () => (await import('./objects/object-view.tsx')).ObjectView)
const [AboutVaultView, loadAboutVault] = viewOf(
  async () => (await import('./sharing/about-vault-view.tsx')).AboutVaultView,
)
const [TrashView] = viewOf(async () => (await import('./trash/trash-view.tsx')).TrashView)
const [ObjectTrailView, loadObjectTrail] = viewOf(
  async () => (await import('./trail/object-trail-view.tsx')).ObjectTrailView,
)
const [HistoryView] = viewOf(async () => (await import('./history/history-view.tsx')).HistoryView)
const [NewObjectView, loadNewObject] = viewOf(async () => (await import('./editing/new-object-view.tsx')).NewObjectView)
const [EditObjectView, loadEditObject] = viewOf(
  async () => (await import('./editing/edit-object-view.tsx')).EditObjectView,
)
const [KeysView, loadKeys] = viewOf(async () => (await import('./keys/keys-view.tsx')).KeysView)
const [KeyView, loadKey] = viewOf(async () => (await import('./keys/key-view.tsx')).KeyView)
const [MeView, loadMe] = viewOf(async () => (await import('./me/me-view.tsx')).MeView)
export const [PassphraseDueView] = viewOf(async () => (await import('./me/passphrase-due-view.tsx')).PassphraseDueView)
const [ServiceView] = viewOf(async () => (await import('./administration/service-view.tsx')).ServiceView)
const [AdministrationView, loadAdministration] = viewOf(
  async () => (await import('./administration/administration-view.tsx')).AdministrationView,
)
const [ExchangeView] = viewOf(async () => (await import('./exchange/exchange-view.tsx')).ExchangeView)
const [LinksView] = viewOf(async () => (await import('./links/links-view.tsx')).LinksView)
export const [OpenedLinkView] = viewOf(async () => (await import('./links/opened-link-view.tsx')).OpenedLinkView)

/** Loads views ahead. A view that fails to load is loaded again when it is shown. */
const loadAll = (loads: readonly (() => Promise<unknown>)[]): void =>
  void Promise.all(loads.map((load) => load())).catch(() => undefined)

const first = [loadVaults, loadVault, loadObject]
/** Loads the first views while a person fills in the login form. */
export const loadAhead = (): void => loadAll(first)

/** The views that are one click away from the first ones, and those, which a session without a login form lacks. */
const others = [...first, loadAboutVault, loadNewObject, loadEditObject, loadObjectTrail, loadKeys, loadKey, loadMe]
export const loadOthers = (withAdministration: boolean): void =>
  loadAll(withAdministration ? [...others, loadAdministration] : others)

/** The keys of a vault, or one of them. Text that cannot be the name of a key is not sent to the appliance. */
function KeysRoute({ vaultid, name }: { readonly vaultid?: string; readonly name?: string }) {
  if (!isId(vaultid)) return <NotFoundView />
  if (name === undefined) return <KeysView key={vaultid} vaultid={vaultid} />
  return isKeyName(name) ? <KeyView key={`${vaultid}/${name}`} vaultid={vaultid} name={name} /> : <NotFoundView />
}

/** Redirects from the address of an opened one-time link, which is forgotten when another person logs in. */
const ForgottenLink = () => <Redirect to="/" replace />

/** The view that the address names. */
export function Views() {
  return (
    <Switch>
      <Route path="/">
        <VaultsView />
      </Route>
      <Route path="/vault/:vaultid/about">
        {({ vaultid }) => (isId(vaultid) ? <AboutVaultView key={vaultid} vaultid={vaultid} /> : <NotFoundView />)}
      </Route>
      <Route path="/vault/:vaultid/trash">
        {({ vaultid }) => (isId(vaultid) ? <TrashView key={vaultid} vaultid={vaultid} /> : <NotFoundView />)}
      </Route>
      <Route path="/vault/:vaultid/keys/:name?">{KeysRoute}</Route>
      <Route path="/vault/:vaultid/:folderid?">
        {({ vaultid, folderid = '0' }) =>
          isId(vaultid) && isId(folderid) ? (
            <VaultView key={vaultid} vaultid={vaultid} folderid={folderid} />
          ) : (
            <NotFoundView />
          )
        }
      </Route>
      <Route path="/object/:objectid/trail">
        {({ objectid }) => (isId(objectid) ? <ObjectTrailView key={objectid} objectid={objectid} /> : <NotFoundView />)}
      </Route>
      <Route path="/vault/:vaultid/:folderid/new">
        {({ vaultid, folderid }) =>
          isId(vaultid) && isId(folderid) ? (
            <NewObjectView key={vaultid} vaultid={vaultid} folderid={folderid} />
          ) : (
            <NotFoundView />
          )
        }
      </Route>
      <Route path="/object/:objectid/history">
        {({ objectid }) => (isId(objectid) ? <HistoryView key={objectid} objectid={objectid} /> : <NotFoundView />)}
      </Route>
      <Route path="/object/:objectid/edit">
        {({ objectid }) => (isId(objectid) ? <EditObjectView key={objectid} objectid={objectid} /> : <NotFoundView />)}
      </Route>
      <Route path="/object/:objectid">
        {({ objectid }) => (isId(objectid) ? <ObjectView key={objectid} objectid={objectid} /> : <NotFoundView />)}
      </Route>
      <Route path="/me">
        <MeView />
      </Route>
      <Route path="/me/services/:serviceid">
        {({ serviceid }) =>
          isId(serviceid) ? <ServiceView key={serviceid} serviceid={serviceid} home="/me" /> : <NotFoundView />
        }
      </Route>
      <Route path="/administration/*?">
        <AdministrationView />
      </Route>
      <Route path="/exchange">
        <ExchangeView />
      </Route>
      <Route path="/link" component={ForgottenLink} />
      <Route path="/links">
        <LinksView />
      </Route>
      <Route>
        <NotFoundView />
      </Route>
    </Switch>
  )
}
