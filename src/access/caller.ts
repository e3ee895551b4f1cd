import type { SealedGrant } from './transaction-grant.ts'
import type { Capabilities } from './capabilities.ts'
import type { Permission } from './permission.ts'
import type { Scope } from './scope.ts'

/** The caller of a call, by the present rows of the database. */
export interface Caller {
  readonly userId: number
  readonly username: string
  readonly capabilities: Capabilities
  readonly sessionId: number
  /** Null for a service account. */
  readonly applicationKeyId: number | null
  /** The form of the answers to the application. */
  readonly responseVersion: ResponseVersion
}

/** The vault that the path names, with the caller's rights in it. */
export interface VaultAccess extends Granted {
  readonly id: number
  readonly permission: Permission
  /** The scope of a narrowed member; null for a member who is not narrowed. */
  readonly scope: Scope | null
  /** Whether the vault refuses calls with unknown members. */
  readonly strict: boolean
  /** The caller's grant in another vault; undefined where the caller may not use it. Throws like `grant`. */
  readonly grantIn: (vaultId: number) => Promise<SealedGrant | undefined>
}

/** Access to the caller's grant from the keeper, which token hosts require for each use of a key. */
export interface Granted {
  /**
   * A grant with enough time left for a use now.
   * @throws Fault `session.invalid`, `vault.not_found`, `access.resting`, `hsm.*`
   */
  readonly grant: () => Promise<SealedGrant>
}

/** A client certificate as presented. The client has its private key; its content has not been validated. */
export interface PresentedCertificate {
  readonly der: Buffer
  /** Whether the TLS library, or the trusted proxy in front, verified that a configured CA issued it. */
  readonly isVerified: boolean
}

/** The client of a connection, as seen by TLS and the trusted proxies in front. */
export interface Client {
  /** IP address in text form, without an IPv4-mapped prefix. */
  readonly address: string
  /** The present client certificate of the connection; undefined where none was requested or sent. */
  readonly certificate: () => PresentedCertificate | undefined
}

/** The remote address of a socket in the form of `Client.address`. */
export function addressOf(remoteAddress: string | undefined): string {
  const address = remoteAddress ?? 'unknown'
  return address.startsWith('::ffff:') ? address.slice(7) : address
}

/** The releases in whose form answers can be written (spec: Versioning). Each application key has one. */
export const responseVersions = ['2.1.0', '2.0.5'] as const

export type ResponseVersion = (typeof responseVersions)[number]

export const currentResponseVersion: ResponseVersion = '2.1.0'
