import type { Caller, Granted, VaultAccess } from './caller.ts'
import type { Reader } from '../store/store.ts'
import type { ResourceQuery } from './resource.ts'

/** The input of authentication: the token, and what the path names. */
export interface AuthenticationRequest {
  readonly token: string
  /** Where the call comes from. */
  readonly address: string
  /** The session stays as it is: its token is not replaced, and its end not put off. */
  readonly leavesSession?: boolean
  readonly vaultId?: number
  readonly resource?: { readonly query: ResourceQuery<unknown>; readonly name: string | number }
}

/** The caller's rights at one moment, by the database. */
export interface Admission {
  readonly caller: Caller
  /**
   * Undefined where the caller is not a member of the vault, or there is no such vault: the answers to both must be the
   * same.
   */
  readonly vault: VaultAccess | undefined
  /** The vault of the path, where the caller's membership in it is on hold; `vault` is undefined then. */
  readonly onHoldIn: number | undefined
}

/** The caller that a token identifies, with the caller's rights. */
export interface Authentication extends Admission {
  /** Gives the keeper's grant to the caller: for the vault of the path, or for none. */
  readonly grant: Granted['grant']
  readonly resource: unknown
  /** Authenticates the same caller for another vault that the call names. @throws Fault `session.invalid` */
  readonly elsewhere: (vaultId: number) => Promise<Authentication>
  /** The token for the next call: the supplied one, or its replacement. */
  readonly token: string
}

/** The only source of a Caller: every call that is not public passes it. */
export interface Authenticator {
  /** @throws Fault `session.invalid` */
  authenticate(request: AuthenticationRequest): Promise<Authentication>
  /**
   * The caller's rights within a transaction or outside, because a call may take long after its authentication.
   * @throws Fault `session.invalid`
   */
  reauthorize(reader: Reader, authentication: Authentication): Promise<Admission>
}
