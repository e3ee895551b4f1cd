import { decimalId } from '../../access/resource.ts'
import { holds } from '../../access/capabilities.ts'
import type { Admission, Authentication, AuthenticationRequest, Authenticator } from '../../access/authenticator.ts'
import { includes } from '../../access/permission.ts'
import { allows, type Scope } from '../../access/scope.ts'
import { Fault } from '../../fault.ts'
import type { Caller, VaultAccess } from '../../access/caller.ts'
import {
  vaultParameter,
  type Access,
  type AnyEndpoint,
  type DemandedCall,
  type Destination,
  type Ownership,
  type ServiceNeed,
} from '../contract/endpoint.ts'
import type { EnvelopeState, JsonObject } from '../contract/envelope.ts'
import { neededToken, shownToken } from '../contract/http-token.ts'
import { isPlainText } from '../input/members.ts'
import { noteTargetOfBody, type Params } from './call-target.ts'
import type { Demand, RequestContext } from './request-context.ts'
import { putCookie } from './session-cookie.ts'

type InVault = Extract<Access<unknown>, { kind: 'vault' }>

/** Authenticates the caller and checks whether the caller may make the call. */
export interface Authorization {
  /**
   * Undefined for a public call.
   * @throws Fault `session.invalid`, `session.cookie`, `access.capability`, `access.permission`, `access.resting`,
   * `request.invalid`, `vault.not_found`, or the fault of a missing resource
   */
  authorize(
    request: RequestContext,
    contract: AnyEndpoint,
    params: Params,
    body: JsonObject,
  ): Promise<Authorized | undefined>
  /** Checks what the form of a validated call needs beyond its contract's access. @throws Fault `access.permission` */
  checkForm(
    request: RequestContext,
    contract: AnyEndpoint,
    call: DemandedCall<unknown, unknown> & { readonly vault: VaultAccess | undefined },
  ): Promise<void>
  /**
   * Finds the caller by the token in header, query or cookie, before the body is read; resolves to the user's id.
   * @throws Fault `session.invalid`
   */
  identify(request: RequestContext): Promise<number>
  /**
   * Finds the caller of a request that failed before authentication, so that its audit record names the user and its
   * answer has the token.
   */
  findCaller(request: RequestContext): Promise<void>
}

/** The results of authorization for the handler: the caller with the grant, the vaults and the resource. */
export interface Authorized extends Pick<Authentication, 'caller' | 'grant' | 'vault' | 'resource'> {
  /** The second vault, into which the call puts something. */
  readonly into: VaultAccess | undefined
}

export function createAuthorization(authenticator: Authenticator): Authorization {
  async function authenticate(
    request: RequestContext,
    token: string,
    resource: ReturnType<typeof resourceOf> = {},
  ): Promise<Authentication> {
    request.authenticationTried = true
    const authentication = await authenticator.authenticate({
      token,
      address: request.client.address,
      // HEAD is safe (RFC 9110 §9.2.1), and its answer has no body that could tell the next token.
      leavesSession: request.koa.method === 'HEAD',
      ...resource,
    })
    request.caller = authentication.caller
    passOn(request.envelope, token, authentication.token)
    request.envelope.responseVersion = authentication.caller.responseVersion
    return authentication
  }

  return {
    async authorize(request, contract, params, body) {
      const { envelope } = request
      noteTargetOfBody(request.note, contract, body)
      if (contract.access.kind === 'public') return refuseToken(contract.access, envelope)
      const token = neededToken(envelope, contract.upload !== undefined)
      const authentication = await authenticate(request, token, resourceOf(contract, params, body))
      const vaultId = authentication.vault?.id ?? authentication.onHoldIn
      if (vaultId !== undefined) request.note.vault = String(vaultId)
      const checkNow = async (found: Admission): Promise<void> => {
        await check(contract, found, { params, body })
        checkDemands(request.demands, found.vault)
      }
      await checkNow(authentication)
      const into = await destinationOf(contract, authentication, body)
      checkDestination(contract, into)
      request.grant = authentication.grant
      request.reauthorize = async (reader) => {
        await checkNow(await authenticator.reauthorize(reader, authentication))
        checkDestination(contract, into && (await authenticator.reauthorize(reader, into)))
      }
      const { caller, grant, vault, resource } = authentication
      return { caller, grant, vault, resource, into: into?.vault }
    },

    async checkForm(request, { access: itsAccess, demanding = [] }, call) {
      const access: Access<unknown> = itsAccess
      const { vault } = call
      if (access.kind === 'session' && access.service !== undefined) await checkService(access.service, call.caller)
      if (vault === undefined) return
      const asked = demanding.filter((form) => form.isAsked(call))
      if (asked.length === 0) return
      request.demands = await Promise.all(
        asked.map(async ({ what, permission, isScoped = false }) => ({
          what,
          isScoped,
          permission: typeof permission === 'string' ? permission : await permission.of(vault.id),
        })),
      )
      checkDemands(request.demands, vault)
    },

    async identify(request) {
      const { caller } = await authenticate(request, neededToken(request.envelope))
      return caller.userId
    },

    async findCaller(request) {
      const token = shownToken(request.envelope)
      if (request.authenticationTried || token === undefined) return
      // The request has failed already: a fault of the authentication must not replace the first one.
      await authenticate(request, token).catch(() => undefined)
    },
  }
}

/**
 * The next token is sent the way the present one came. A call with a large body is authenticated twice, but the next
 * token is given out once: the second time must not remove it.
 */
function passOn(envelope: EnvelopeState, token: string, next: string): void {
  if (envelope.suppliedToken === undefined) {
    if (next !== token) putCookie(envelope, next)
  } else if (next !== token) envelope.token = next
  else envelope.token ??= token
}

/** The part of the call that the authenticator needs: the vault, and the resource in it. */
function resourceOf(
  contract: AnyEndpoint,
  params: Params,
  body: JsonObject,
): Omit<AuthenticationRequest, 'token' | 'address'> {
  const access: Access<unknown> = contract.access
  if (access.kind !== 'vault') return {}
  const { resource } = access
  const name = nameIn(access, params)
  if (resource?.vaultOf) return { resource: { query: resource, name: idOf(name) } }
  return {
    vaultId: idOf(vaultIn(access, params, body)),
    // No resource has such a name, and the contract refuses it later.
    ...(resource === undefined || name === undefined || !isPlainText(name)
      ? {}
      : { resource: { query: resource, name } }),
  }
}

async function check(
  contract: AnyEndpoint,
  admission: Admission,
  { params, body }: { readonly params: Params; readonly body: JsonObject },
): Promise<void> {
  const access: Access<unknown> = contract.access
  if (access.kind === 'public') return
  if (access.kind === 'vault') checkPermission(access, admission, body)
  if (admission.vault?.scope) checkScope(contract, admission.vault.scope, params['name'], body)
  const { capability } = access
  const { capabilities, userId } = admission.caller
  if (capability === undefined || [capability].flat().some((one) => holds(capabilities, one))) return
  const { self, owner }: { readonly self?: string; readonly owner?: Ownership } =
    access.kind === 'session' ? access : {}
  if (self !== undefined && idOf(params[self]) === userId) return
  if (owner !== undefined && (await isOwn(owner, userId, params, body))) return
  const names = [capability].flat().join(' or ')
  throw new Fault('access.capability', `This call needs the capability ${names}: ask an administrator for it.`)
}

/**
 * Whether the caller owns the resource. One that does not exist has no owner, so that a caller without access gets the
 * same answer for both.
 */
async function isOwn(
  { parameter, of, reserved }: Ownership,
  userId: number,
  params: Params,
  body: JsonObject,
): Promise<boolean> {
  if (reserved !== undefined && body[reserved] !== undefined) return false
  return (await of(idOf(params[parameter]))) === userId
}

function checkPermission(access: InVault, { vault, onHoldIn }: Admission, body: JsonObject): void {
  const { member } = access
  if (member !== undefined && body[member] === undefined)
    throw new Fault('request.invalid', `${member} is missing; in a form it stands before the file.`)
  if (onHoldIn !== undefined) throw new Fault('access.resting')
  if (vault === undefined) throw new Fault(access.resource?.vaultOf?.missing ?? 'vault.not_found')
  if (!includes(vault.permission, access.permission))
    throw new Fault(
      'access.permission',
      `This call needs ${access.permission} in the vault; you have ${vault.permission}.`,
    )
}

/** The caller's rights in the second vault of the call; undefined where the call has none. */
async function destinationOf(
  { access }: AnyEndpoint,
  authentication: Authentication,
  body: JsonObject,
): Promise<Authentication | undefined> {
  const into = intoOf(access)
  if (into === undefined) return undefined
  const named = body[into.member]
  const id = named === undefined ? authentication.vault?.id : idOf(isPlainId(named) ? named : undefined)
  return id === undefined || id === authentication.vault?.id ? authentication : authentication.elsewhere(id)
}

/** @throws Fault `vault.not_found`, `access.resting`, `access.permission` */
function checkDestination({ access }: AnyEndpoint, destination: Admission | undefined): void {
  const into = intoOf(access)
  if (into === undefined || destination === undefined) return
  const { vault, onHoldIn } = destination
  if (onHoldIn !== undefined) throw new Fault('access.resting')
  if (vault === undefined) throw new Fault('vault.not_found')
  if (vault.scope !== null) throw narrowed()
  if (!includes(vault.permission, into.permission))
    throw new Fault(
      'access.permission',
      `This call needs ${into.permission} in the vault into which it goes; you have ${vault.permission}.`,
    )
}

const intoOf = (access: Access<unknown>): Destination | undefined => (access.kind === 'vault' ? access.into : undefined)

const isPlainId = (named: unknown): named is string | number => typeof named === 'string' || typeof named === 'number'

const narrowed = (): Fault =>
  new Fault('access.permission', 'This call is not for members whose rights are narrowed by grants.')

async function checkService({ operation, scopesOf }: ServiceNeed, caller: Caller | undefined): Promise<void> {
  // Only service accounts are checked here; a person's session has an application key.
  if (caller?.applicationKeyId !== null) return
  if ((await scopesOf(caller.userId)).some((scope) => allows(scope, `key.${operation}`))) return
  throw new Fault('access.permission', `No grants of this service account, in any of its vaults, let it ${operation}.`)
}

function checkDemands(demands: readonly Demand[], vault: VaultAccess | undefined): void {
  if (vault === undefined) return
  for (const { what, permission, isScoped } of demands)
    if (!(isScoped && vault.scope !== null) && !includes(vault.permission, permission))
      throw new Fault('access.permission', `${what} needs ${permission} in the vault; you have ${vault.permission}.`)
}

/**
 * Refuses a narrowed member whose scope does not allow the call. A call whose contract names no scoped use is refused.
 */
function checkScope({ scopedUse }: AnyEndpoint, scope: Scope, name: string | undefined, body: JsonObject): void {
  if (scopedUse === undefined) throw narrowed()
  const uses = typeof scopedUse === 'function' ? scopedUse(body) : [scopedUse]
  const refused = uses.find((use) => !allows(scope, use, { name }))
  if (refused === undefined) return
  const [subject, operation] = refused.split('.')
  const what =
    subject === 'object' ? 'with objects' : name === undefined ? 'with keys' : `with the key ${name.slice(0, 128)}`
  throw new Fault('access.permission', `What is granted to you in this vault does not let you ${operation} ${what}.`)
}

function nameIn({ resource }: InVault, params: Params): string | undefined {
  return resource && params[resource.parameter]
}

function vaultIn({ member }: InVault, params: Params, body: JsonObject): string | number | undefined {
  const named = member === undefined ? params[vaultParameter] : body[member]
  return isPlainId(named) ? named : undefined
}

/** An id; -1, the id of no row, for text that is not one. */
function idOf(given: string | number | undefined): number {
  return decimalId(String(given)) ?? -1
}

function refuseToken({ refusesToken }: { readonly refusesToken?: true }, { suppliedToken }: EnvelopeState): undefined {
  if (refusesToken && suppliedToken !== undefined)
    throw new Fault('request.invalid', 'This call takes no session token: leave it out.')
}
