import type { SealedGrant } from './acting.ts'
import type { Capabilities } from './capabilities.ts'
import type { Permission } from './permission.ts'
import type { Scope } from './scope.ts'

/** Who is calling, as the database says at this moment. */
export interface Caller {
  readonly userId: number
  readonly username: string
  readonly capabilities: Capabilities
  readonly sessionId: number
  /** Null for a service account, which has none. */
  readonly applicationKeyId: number | null
  /** Of the answers to the application. */
  readonly responseVersion: ResponseVersion
}

/** The vault that the path names and what the caller may do there. */
export interface VaultAccess extends Granted {
  readonly id: number
  readonly permission: Permission
  /** What a narrowed member may do; null for a member who is not narrowed. */
  readonly scope: Scope | null
  /** Whether the vault refuses calls with members that the interface does not know. */
  readonly strict: boolean
}

/** Whoever uses a key on behalf of a caller shows the token hosts what the keeper granted that caller. */
export interface Granted {
  /** Good for a use at this moment. @throws Fault `session.invalid`, `vault.not_found`, `access.resting`, `hsm.*` */
  readonly grant: () => Promise<SealedGrant>
}

/** A client certificate as it arrived. The other side holds its key; nothing that it says is believed yet. */
export interface PresentedCertificate {
  readonly der: Buffer
  /** Whether the TLS library, or the trusted proxy in front, found it issued by a configured CA. */
  readonly isVerified: boolean
}

/** What TLS, and the trusted proxies in front, know about the other side. */
export interface Client {
  /** IP address in text form, IPv4-mapped prefixes removed. */
  readonly address: string
  /** The client's certificate on this connection at this moment, if it was asked for one and has one. */
  readonly certificate: () => PresentedCertificate | undefined
}

/** The address of a socket's other side as `Client` has it. */
export function addressOf(remoteAddress: string | undefined): string {
  const address = remoteAddress ?? 'unknown'
  return address.startsWith('::ffff:') ? address.slice(7) : address
}

/** The releases in whose form answers are written (spec: Versioning); an application key has one of them. */
export const responseVersions = ['2.1.0', '2.0.5'] as const

export type ResponseVersion = (typeof responseVersions)[number]

export const currentResponseVersion: ResponseVersion = '2.1.0'
