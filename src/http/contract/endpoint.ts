import { z } from 'zod'
import type { Capability } from '../../access/capabilities.ts'
import type { Caller, Client, VaultAccess, ResponseVersion } from '../../access/caller.ts'
import type { Permission } from '../../access/permission.ts'
import type { AuditEvent } from '../../audit/event.ts'
import type { Commit } from '../../store/store.ts'
import type { FaultCode } from '../../fault.ts'
import type { ResourceQuery } from '../../access/resource.ts'
import { type KeyOperation, keyOperations, type Scope, type ScopedUse } from '../../access/scope.ts'
import type { HandlerName, JsonObject, Reply } from './envelope.ts'

/** Who may call, checked before anything else of the call is looked at. */
export type Access<Row> =
  | {
      readonly kind: 'public'
      /** A session token is not needed; here it is not even accepted. */
      readonly refusesToken?: true
    }
  | {
      readonly kind: 'session'
      /** What the caller must hold: this one, or any of these. */
      readonly capability?: Capability | readonly Capability[]
      /** The path parameter that names a user, who needs no capability for a call about themself. */
      readonly self?: string
      /** Whom the thing belongs to that the path names: its owner needs no capability. */
      readonly owner?: Ownership
      /** What a service account needs; the call is of no vault, so that its scope in any of its vaults is enough. */
      readonly service?: ServiceNeed
    }
  | {
      readonly kind: 'vault'
      readonly permission: Permission
      /** What the caller must hold besides. */
      readonly capability?: Capability
      /** The member of the body that names the vault, where the path does not. */
      readonly member?: string
      /** The thing in the vault that the path names; its row comes with the caller's, in one statement. */
      readonly resource?: ResourceQuery<Row>
      /** The vault into which something goes, and what the caller needs there. */
      readonly into?: Destination
    }

/** A second vault of a call: the one that a member of the body names, else that of the call itself. */
export interface Destination {
  readonly member: string
  readonly permission: Permission
}

/** Of things that belong to a user. */
export interface Ownership {
  /** What they are, for the documentation: "service accounts". */
  readonly noun: string
  /** The path parameter that holds the id of one. */
  readonly parameter: string
  /** Id of its owner; undefined where there is no such thing. */
  readonly of: (id: number) => Promise<number | undefined>
  /** A member of the body that an owner may not give. */
  readonly reserved?: string
}

/** What a scope has to allow, and the scopes of a service account. */
export interface ServiceNeed {
  readonly operation: KeyOperation
  readonly scopesOf: (userId: number) => Promise<readonly Scope[]>
}

/** A form of a call that needs more permission in the vault than its other forms. */
export interface DemandingForm<P, B> {
  /** The beginning of the sentence that says so, in the refusal and in the documentation: "A data key in the open". */
  readonly what: string
  readonly permission: Permission | PermissionSetting
  readonly isAsked: (call: DemandedCall<P, B>) => boolean
  /** Of a narrowed member the scope alone says whether: an Admin has named the operation. */
  readonly isScoped?: true
}

/** What tells the form of a call. */
export type DemandedCall<P, B> = Pick<Call<P, B, Access<unknown>>, 'params' | 'body'> & {
  readonly resource: unknown
  readonly caller: Caller | undefined
}

/** A permission that each vault sets for itself. */
export interface PermissionSetting {
  /** Its name in `PUT /transparent/:vaultid/settings`. */
  readonly setting: string
  /** In a new vault. */
  readonly usual: Permission
  readonly of: (vaultId: number) => Promise<Permission>
}

/** The path parameter that names the vault of an endpoint whose access is `vault`. */
export const vaultParameter = 'vaultid'

/** What a handler sees; nothing of HTTP. */
export interface Call<P, B, A extends Access<unknown>> {
  readonly params: P
  readonly body: B
  readonly client: Client
  /** What happened on the way that the audit record should name, beyond what the contract says already. */
  readonly note: (fields: AuditNote) => void
  /** A record of its own for a part of the call, beside the one that each call gets; on the disk when it resolves. */
  readonly record: (part: AuditPart) => Promise<void>
  /** The same for a part of a change: on the disk with the record of the call, before the change commits. */
  readonly recordWithChange: (part: AuditPart) => void
  readonly commit: Commit
  /** Counts the call, until its answer has left, under a quota of which only its work can tell. */
  readonly admit: Admit
  readonly caller: A extends { kind: 'public' } ? undefined : Caller
  readonly vault: A extends { kind: 'vault' } ? VaultAccess : undefined
  readonly into: A extends { into: Destination } ? VaultAccess : undefined
  readonly resource: A extends { resource: ResourceQuery<infer Row> } ? Row | undefined : undefined
  /** What was uploaded, of a contract that takes uploads. */
  readonly file: UploadedFile | undefined
  /** For the login alone, which hands a session to a browser. @throws Fault `session.cookie` unless one of our pages asks */
  readonly refuseForeignPage: () => void
  /** Sets the token of the answer, and its version: for the login alone. */
  readonly setToken: (token: string, responseVersion: ResponseVersion, carrier: TokenCarrier) => void
}

/** Where an answer has the session's token: in CALLINFO, or in a cookie that scripts cannot read. */
export type TokenCarrier = 'token' | 'cookie'

/** A file on its way in. */
export interface UploadedFile {
  /** Without folders; may be empty. */
  readonly filename: string
  /** What the client says of it. */
  readonly mimeType: string
  /**
   * Its bytes, piece by piece, once. A large file comes off the wire while it is read: when the upload turns out bad,
   * this throws at the end (`request.not_form`, `request.too_large`, `request.invalid`), and what was made of the
   * pieces is void.
   */
  content(): AsyncIterable<Buffer>
  /** All of it. @throws Fault `request.too_large` */
  bytes(maxBytes: number): Promise<Buffer>
}

/** Fields of the audit record that only the call itself knows. */
export type AuditNote = Partial<
  Pick<AuditEvent, 'username' | 'userId' | 'sessionId' | 'applicationKeyId' | 'vault' | 'key' | 'keyVersion' | 'target'>
>

/** A part of a call that the trail should tell of by itself. */
export interface AuditPart {
  readonly operation: string
  readonly target: string
  /** Goes to the journal as well: an administrator should see it at once. */
  readonly isAlarm?: boolean
  /** Where it concerns another vault than the call. */
  readonly vault?: string
}

/** One operation of the interface: route, types, validation, permission, documentation. */
export interface Endpoint<P = unknown, B = unknown, A extends Access<unknown> = Access<unknown>> {
  /** What it is called in the audit trail and in OpenAPI, for example `transparent.encrypt`. */
  readonly operation: string
  readonly handler: HandlerName
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'LIST'
  /** Below `/api/1.0`. */
  readonly path: `/${string}`
  readonly summary: string
  /** What a developer should know beyond the summary: for the documentation. */
  readonly details?: string
  readonly access: A
  /** Forms of the call that need more in the vault than `access` says; checked like it, after validation. */
  readonly demanding?: readonly DemandingForm<P, B>[]
  /**
   * What the scope of a narrowed member must allow for it, by its members as they came where they decide; without it the
   * call is for no narrowed member. In a vault alone.
   */
  readonly scopedUse?: ScopedUse | ((members: JsonObject) => readonly ScopedUse[])
  /** HTTP status of a success. */
  readonly success: 200 | 201
  /** What goes wrong in this call beyond what its access and form say already, for the documentation. */
  readonly faults?: readonly FaultCode[]
  /**
   * What its success holds beyond every envelope, for the documentation: in CALLINFO, in DATA beside the echo, and
   * beside these. Without it, nothing.
   */
  readonly reply?: { readonly callinfo?: z.ZodType; readonly data?: z.ZodType; readonly members?: z.ZodType }
  /** Path parameters; all arrive as text. */
  readonly params: z.ZodType<P>
  /** Members of the body, or of the query of a GET. Unknown ones are ignored, as published clients send them. */
  readonly body: z.ZodType<B>
  /** The member of the body that names what the call is aimed at, for the audit record, where the path does not. */
  readonly subject?: { readonly noun: string; readonly member: string }
  /**
   * Names of members that hold secrets and are left out of the echo in DATA, at any depth; or how to find them. `all`
   * where the specification has an empty DATA.
   */
  readonly unechoed?: 'all' | readonly string[] | (() => Promise<readonly string[]>)
  /** Media type of the document that this call answers with in place of an envelope. */
  readonly document?: string
  /** Takes a file, in multipart/form-data; `optional` takes JSON as well. Fields alone any call takes in that form. */
  readonly upload?: 'required' | 'optional'
  /**
   * Under which quota of its caller a call falls, because it costs the appliance much more than the caller; undefined
   * for none.
   */
  readonly quota?: QuotaKind | ((call: Pick<Call<P, B, A>, 'body' | 'resource'>) => QuotaKind | undefined)
  readonly run: (call: Call<P, B, A>) => Promise<Reply>
}

/** What is limited per user (settings `quotas`). */
export type QuotaKind = 'keys' | 'rsaKeys' | 'passphrases' | 'files' | 'links' | 'longLists' | 'relocations'

/** @throws Fault `request.quota` */
export type Admit = (kind: QuotaKind) => void

/** Flags arrive as JSON booleans, or as the text that forms can hold and answers carry. */
export const flag = z.union(
  [z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')],
  'must be true or false',
)

/** Infers the types of a contract. */
export function endpoint<P, B, const A extends Access<unknown>>(contract: Endpoint<P, B, A>): Endpoint<P, B, A> {
  return contract
}

/** An endpoint whose types the kernel does not know. */
// oxlint-disable-next-line typescript/no-explicit-any -- P and B stand in both directions, so no other type holds every contract
export type AnyEndpoint = Endpoint<any, any, any>

/** What a call does with keys, where that is its only scoped use, whatever the call's members are. */
export const keyOperationOf = ({ scopedUse }: Pick<AnyEndpoint, 'scopedUse'>): KeyOperation | undefined =>
  keyOperations.find((one) => scopedUse === `key.${one}`)
