import type { Caller, Granted, VaultAccess } from './caller.ts'
import type { Reader } from '../store/store.ts'
import type { ResourceQuery } from './resource.ts'

/** What authentication needs: a token, and where the path leads. */
export interface AuthenticationRequest {
  readonly token: string
  /** Where the call comes from. */
  readonly address: string
  readonly vaultId?: number
  readonly resource?: { readonly query: ResourceQuery<unknown>; readonly name: string | number }
}

/** What the database says of a caller's rights at this moment. */
export interface Admission {
  readonly caller: Caller
  /** Absent when the caller is no member of the vault, or there is no such vault: the two must look the same. */
  readonly vault: VaultAccess | undefined
  /** The vault in which the caller's membership rests; `vault` is absent then. */
  readonly restingIn: number | undefined
}

/** What the database says of a caller, by a token. */
export interface Authentication extends Admission {
  /** What the keeper grants the caller: in that vault, or in none. */
  readonly grant: Granted['grant']
  readonly resource: unknown
  /** The same caller in another vault, which the call names too. @throws Fault `session.invalid` */
  readonly elsewhere: (vaultId: number) => Promise<Authentication>
  /** The token for the next call: another than the supplied one when it was replaced. */
  readonly token: string
}

/** The door every call passes, and the only source of a Caller. */
export interface Authenticator {
  /** @throws Fault `session.invalid` */
  authenticate(request: AuthenticationRequest): Promise<Authentication>
  /**
   * What the caller may do at this moment of a transaction, or outside any: a call may take long after its
   * authentication.
   * @throws Fault `session.invalid`
   */
  reauthorize(reader: Reader, authentication: Authentication): Promise<Admission>
}
