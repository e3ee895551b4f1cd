import { z } from 'zod'
import type { Capability } from '../../access/capabilities.ts'
import type { Caller, Client, Granted, VaultAccess, ResponseVersion } from '../../access/caller.ts'
import type { Permission } from '../../access/permission.ts'
import type { AuditEvent } from '../../audit/event.ts'
import type { Commit } from '../../store/store.ts'
import type { FaultCode } from '../../fault.ts'
import type { ResourceQuery } from '../../access/resource.ts'
import { type KeyOperation, keyOperations, type Scope, type ScopedUse } from '../../access/scope.ts'
import type { HandlerName, JsonObject, Reply } from './envelope.ts'

/** Who may make a call. Checked before the call is validated. */
export type Access<Row> =
  | {
      readonly kind: 'public'
      /** The call needs no session token and refuses one. */
      readonly refusesToken?: true
    }
  | {
      readonly kind: 'session'
      /** The required capability: this one, or any of these. */
      readonly capability?: Capability | readonly Capability[]
      /** The path parameter with a user id. A user needs no capability for a call about their own account. */
      readonly self?: string
      /** The owner of the resource that the path names, who needs no capability. */
      readonly owner?: Ownership
      /**
       * The scope that a service account needs. The call names no vault, so that a fitting scope in any vault is
       * enough.
       */
      readonly service?: ServiceNeed
    }
  | {
      readonly kind: 'vault'
      readonly permission: Permission
      /** A capability that is required in addition. */
      readonly capability?: Capability
      /** The member of the body that names the vault, where the path does not. */
      readonly member?: string
      /**
       * The resource in the vault that the path names. Its row is read by the statement that authenticates the caller.
       */
      readonly resource?: ResourceQuery<Row>
      /** A second vault, into which the call puts something, and the permission needed there. */
      readonly into?: Destination
    }

/** The second vault of a call: the one that a member of the body names, otherwise the vault of the call. */
export interface Destination {
  readonly member: string
  readonly permission: Permission
}

/** Resources that belong to a user. */
export interface Ownership {
  /** Their name in the documentation, in plural: "service accounts". */
  readonly noun: string
  /** The path parameter with the id of one. */
  readonly parameter: string
  /** Id of its owner; undefined where it does not exist. */
  readonly of: (id: number) => Promise<number | undefined>
  /** A member of the body that an owner may not send. */
  readonly reserved?: string
}

/** The scope that a service account needs for a call without a vault, and where its scopes are read. */
export interface ServiceNeed {
  readonly operation: KeyOperation
  readonly scopesOf: (userId: number) => Promise<readonly Scope[]>
}

/** A form of a call that needs more permission in the vault than other forms. */
export interface DemandingForm<P, B> {
  /** The beginning of the sentence about it, in the refusal and in the documentation: "A data key in the open". */
  readonly what: string
  readonly permission: Permission | PermissionSetting
  readonly isAsked: (call: DemandedCall<P, B>) => boolean
  /** For a narrowed member the scope alone decides, since an Admin named the operation there. */
  readonly isScoped?: true
}

/** The part of a call that determines its form. */
export type DemandedCall<P, B> = Pick<Call<P, B, Access<unknown>>, 'params' | 'body'> & {
  readonly resource: unknown
  readonly caller: Caller | undefined
}

/** A permission that each vault configures. */
export interface PermissionSetting {
  /** Its member in `PUT /transparent/:vaultid/settings`. */
  readonly setting: string
  /** The value in a new vault. */
  readonly usual: Permission
  readonly of: (vaultId: number) => Promise<Permission>
}

/** The path parameter with the vault of an endpoint whose access is `vault`. */
export const vaultParameter = 'vaultid'

/** The input of a handler, which knows nothing of HTTP. */
export interface Call<P, B, A extends Access<unknown>> {
  readonly params: P
  readonly body: B
  readonly client: Client
  /** Adds fields to the audit record of the call that the contract does not determine. */
  readonly note: (fields: AuditNote) => void
  /** Writes a separate audit record for a part of the call; resolves when it is on the disk. */
  readonly record: (part: AuditPart) => Promise<void>
  /**
   * Adds a separate audit record for a part of a change. It is written with the record of the call, before the change
   * commits.
   */
  readonly recordWithChange: (part: AuditPart) => void
  readonly commit: Commit
  /** The caller's grant, for what the keeper seals before the commit: see `Granted`. */
  readonly grant: A extends { kind: 'public' } ? undefined : Granted['grant']
  /** Counts the call under a quota that only the handler can determine, until the answer has left. */
  readonly admit: Admit
  readonly caller: A extends { kind: 'public' } ? undefined : Caller
  readonly vault: A extends { kind: 'vault' } ? VaultAccess : undefined
  readonly into: A extends { into: Destination } ? VaultAccess : undefined
  readonly resource: A extends { resource: ResourceQuery<infer Row> } ? Row | undefined : undefined
  /** The uploaded file, of a contract that takes uploads. */
  readonly file: UploadedFile | undefined
  /**
   * For the login only, which sets a session cookie.
   * @throws Fault `session.cookie` unless a page of the appliance made the call
   */
  readonly refuseForeignPage: () => void
  /** For the login only: sets the token and the response version of the answer. */
  readonly setToken: (token: string, responseVersion: ResponseVersion, carrier: TokenCarrier) => void
}

/** How an answer carries the session token: in CALLINFO, or in a cookie that scripts cannot read. */
export type TokenCarrier = 'token' | 'cookie'

/** An incoming file. */
export interface UploadedFile {
  /** Without folders; may be empty. */
  readonly filename: string
  /** The media type that the client states. */
  readonly mimeType: string
  /**
   * The bytes in pieces; to be read once. A large file arrives while it is read. If the upload turns out to be invalid,
   * this throws at the end (`request.not_form`, `request.too_large`, `request.invalid`), and whatever was made of the
   * pieces must be discarded.
   */
  content(): AsyncIterable<Buffer>
  /** The whole content. @throws Fault `request.too_large` */
  bytes(maxBytes: number): Promise<Buffer>
}

/** Fields of the audit record that a handler may set. */
export type AuditNote = Partial<
  Pick<
    AuditEvent,
    'username' | 'userId' | 'sessionId' | 'applicationKeyId' | 'vault' | 'key' | 'keyVersion' | 'target' | 'rows'
  >
>

/** A part of a call that has an audit record of its own. */
export interface AuditPart {
  readonly operation: string
  readonly target: string
  /** Whether it is written to the journal as well, for an administrator's immediate attention. */
  readonly isAlarm?: boolean
  /** Set where it concerns another vault than the call. */
  readonly vault?: string
}

/** A contract as a route states it. */
interface Stated<P, B, A extends Access<unknown>> {
  /** Its name in the audit trail and in OpenAPI, for example `transparent.encrypt`. */
  readonly operation: string
  readonly handler: HandlerName
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'LIST'
  /** Set for a GET that changes something: HEAD is not served there, because it is safe (RFC 9110 §9.2.1). */
  readonly changes?: true
  /** Path below `/api/1.0`. */
  readonly path: `/${string}`
  readonly summary: string
  /** For the documentation: what a developer should know beyond the summary. */
  readonly details?: string
  readonly access: A
  /** Forms of the call that need more permission in the vault than `access` states. Checked after validation. */
  readonly demanding?: readonly DemandingForm<P, B>[]
  /**
   * For calls in a vault: the use that the scope of a narrowed member must allow, or a function of the raw members.
   * Without it, narrowed members cannot make the call.
   */
  readonly scopedUse?: ScopedUse | ((members: JsonObject) => readonly ScopedUse[])
  /** HTTP status of a success; by default 200. */
  readonly success?: 200 | 201
  /** For the documentation: faults of this call besides those that follow from its access and form. */
  readonly faults?: readonly FaultCode[]
  /**
   * For the documentation: the members of a success besides those of every envelope, in CALLINFO, in DATA beside the
   * echo, and at the top level.
   */
  readonly reply?: { readonly callinfo?: z.ZodType; readonly data?: z.ZodType; readonly members?: z.ZodType }
  /** Path parameters; all are texts. By default none. */
  readonly params?: z.ZodType<P>
  /**
   * Members of the body, or of the query of a GET; by default none. Unknown members are ignored, because published
   * clients send some.
   */
  readonly body?: z.ZodType<B>
  /** For the audit record: the member of the body with the target of the call, where the path does not name it. */
  readonly target?: { readonly noun: string; readonly member: string }
  /**
   * Members with secrets, at any depth, that the echo in DATA leaves out, or a function that finds their names. `all`
   * where the specification has an empty DATA.
   */
  readonly unechoed?: 'all' | readonly string[] | (() => Promise<readonly string[]>)
  /** Media type of the document that this call answers with instead of an envelope. */
  readonly document?: string
  /**
   * Whether a file is sent as multipart/form-data; `optional` accepts JSON as well. Every call accepts fields alone in
   * that form.
   */
  readonly upload?: 'required' | 'optional'
  /** Set where numbers of a JSON body are stored as text: one that would be stored in another form is refused. */
  readonly storesNumbers?: true
  /**
   * The quota of the caller under which a call falls because it costs the appliance much more than the caller;
   * undefined for none.
   */
  readonly quota?: QuotaKind | ((call: Pick<Call<P, B, A>, 'body' | 'resource'>) => QuotaKind | undefined)
  readonly run: (call: Call<P, B, A>) => Promise<Reply>
}

/** The contract of an operation: route, types, validation, permission, documentation. */
export interface Endpoint<P = unknown, B = unknown, A extends Access<unknown> = Access<unknown>> extends Stated<
  P,
  B,
  A
> {
  readonly success: 200 | 201
  readonly params: z.ZodType<P>
  readonly body: z.ZodType<B>
}

/** Quotas per user (settings `quotas`). */
export type QuotaKind = 'keys' | 'rsaKeys' | 'passphrases' | 'files' | 'links' | 'longLists' | 'relocations'

/** @throws Fault `request.quota` */
export type Admit = (kind: QuotaKind) => void

/** A flag: a JSON boolean, or the text that forms and answers contain. */
export const flag = z.union(
  [z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')],
  'must be true or false',
)

const none = z.object({})
type None = z.infer<typeof none>

/** Makes a contract and infers its types. */
export function endpoint<const A extends Access<unknown>, P = None, B = None>(
  contract: Stated<P, B, A>,
): Endpoint<P, B, A>
export function endpoint(contract: Stated<unknown, unknown, Access<unknown>>): AnyEndpoint {
  return { success: 200, params: none, body: none, ...contract }
}

/** An endpoint of any types. */
// oxlint-disable-next-line typescript/no-explicit-any -- P and B stand in both directions, so no other type holds every contract
export type AnyEndpoint = Endpoint<any, any, any>

/** The operation with keys that a call needs from grants, where this does not depend on its members. */
export const keyOperationOf = ({ scopedUse }: Pick<AnyEndpoint, 'scopedUse'>): KeyOperation | undefined =>
  keyOperations.find((one) => scopedUse === `key.${one}`)
