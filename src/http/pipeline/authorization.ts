import { decimalId } from '../../access/resource.ts'
import { holds } from '../../access/capabilities.ts'
import type { Authentication, AuthenticationRequest, Authenticator } from '../../access/authenticator.ts'
import { includes } from '../../access/permission.ts'
import { Fault } from '../../fault.ts'
import { vaultParameter, type Access, type AnyEndpoint } from '../contract/endpoint.ts'
import type { EnvelopeState, JsonObject } from '../contract/envelope.ts'
import { isPlainText } from '../input/members.ts'
import { targetOfBody, type Params } from './call-target.ts'
import type { RequestContext } from './request-context.ts'

type InVault = Extract<Access<unknown>, { kind: 'vault' }>

/** Who calls, and whether the caller may. */
export interface Authorization {
  /**
   * Undefined for a public call.
   * @throws Fault `session.invalid`, `access.capability`, `access.permission`, `access.resting`, `request.invalid`, `vault.not_found`, or
   * the fault that the resource names for one that is missing
   */
  authorize(
    request: RequestContext,
    contract: AnyEndpoint,
    params: Params,
    body: JsonObject,
  ): Promise<Authentication | undefined>
  /**
   * Finds the caller by the token in header or query, before the body is read.
   * @throws Fault `session.invalid`
   */
  identify(request: RequestContext): Promise<void>
  /**
   * Finds the caller of a request that failed before this: the record names the user, and the answer holds the token.
   */
  findCaller(request: RequestContext): Promise<void>
}

export function createAuthorization(authenticator: Authenticator): Authorization {
  async function authenticate(
    request: RequestContext,
    token: string,
    resource: ReturnType<typeof resourceOf> = {},
  ): Promise<Authentication> {
    request.authenticationTried = true
    const authentication = await authenticator.authenticate({ token, address: request.client.address, ...resource })
    request.caller = authentication.caller
    request.envelope.token = authentication.token
    request.envelope.responseVersion = authentication.caller.responseVersion
    return authentication
  }

  return {
    async authorize(request, contract, params, body) {
      const { envelope } = request
      request.note = { ...request.note, ...targetOfBody(contract, body) }
      if (contract.access.kind === 'public') return refuseToken(contract.access, envelope)
      if (envelope.suppliedToken === undefined) throw new Fault('session.invalid')
      const authentication = await authenticate(request, envelope.suppliedToken, resourceOf(contract, params, body))
      const vaultId = authentication.vault?.id ?? authentication.restingIn
      if (vaultId !== undefined) request.note = { ...request.note, vault: String(vaultId) }
      check(contract, authentication, body)
      request.grant = authentication.grant
      request.reauthorize = async (reader) =>
        check(contract, await authenticator.reauthorize(reader, authentication), body)
      return authentication
    },

    async identify(request) {
      await authenticate(request, request.envelope.suppliedToken ?? '')
    },

    async findCaller(request) {
      const { suppliedToken } = request.envelope
      if (request.authenticationTried || suppliedToken === undefined) return
      // A fault of the authentication is not what went wrong here.
      await authenticate(request, suppliedToken).catch(() => undefined)
    },
  }
}

/** What the authenticator looks for: the vault that the call names, and the thing in it. */
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
    // A store takes no such name, and the contract refuses it right after.
    ...(resource === undefined || name === undefined || !isPlainText(name)
      ? {}
      : { resource: { query: resource, name } }),
  }
}

function check(contract: AnyEndpoint, authentication: Authentication, body: JsonObject): void {
  const access: Access<unknown> = contract.access
  if (access.kind === 'public') return
  if (access.kind === 'vault') checkPermission(access, authentication, body)
  const { capability } = access
  const { capabilities } = authentication.caller
  if (capability !== undefined && ![capability].flat().some((one) => holds(capabilities, one)))
    throw new Fault('access.capability')
}

function checkPermission(access: InVault, { vault, restingIn }: Authentication, body: JsonObject): void {
  const { member } = access
  if (member !== undefined && body[member] === undefined)
    throw new Fault('request.invalid', `${member} is missing; in a form it stands before the file.`)
  if (restingIn !== undefined) throw new Fault('access.resting')
  if (vault === undefined) throw new Fault(access.resource?.vaultOf?.missing ?? 'vault.not_found')
  if (!includes(vault.permission, access.permission))
    throw new Fault(
      'access.permission',
      `This call needs ${access.permission} in the vault; you have ${vault.permission}.`,
    )
}

function nameIn({ resource }: InVault, params: Params): string | undefined {
  return resource && params[resource.parameter]
}

function vaultIn({ member }: InVault, params: Params, body: JsonObject): string | number | undefined {
  const named = member === undefined ? params[vaultParameter] : body[member]
  return typeof named === 'string' || typeof named === 'number' ? named : undefined
}

/** Ids are decimal; anything else is the id of nothing. */
function idOf(given: string | number | undefined): number {
  return decimalId(String(given)) ?? -1
}

function refuseToken({ refusesToken }: { readonly refusesToken?: true }, { suppliedToken }: EnvelopeState): undefined {
  if (refusesToken && suppliedToken !== undefined)
    throw new Fault('request.invalid', 'This call takes no session token: leave it out.')
}
