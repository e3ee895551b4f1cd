import { escapeBeyondAscii } from '../../encoding/escaped-json.ts'
import type { Fault } from '../../fault.ts'
import { currentResponseVersion, type ResponseVersion } from '../../access/caller.ts'
import { genericNumber, genericText } from './fault-row.ts'
import { faultCatalogue } from './faults.ts'
import { toLegacyResponse, type Envelope } from './legacy-response.ts'
import { tokenInHeaders, type SuppliedToken } from './http-token.ts'

/** Names that CALLINFO.handler may carry, as published for this interface. */
export type HandlerName =
  | 'AuthHandler'
  | 'AuthInfoHandler'
  | 'AuditHandler'
  | 'GroupHandler'
  | 'VaultHandler'
  | 'VaultmembersHandler'
  | 'ObjectHandler'
  | 'FindHandler'
  | 'TemplateHandler'
  | 'FilecollectHandler'
  | 'UserHandler'
  | 'UserCertHandler'
  | 'UtilsHandler'
  | 'ServiceHandler'
  | 'LinkHandler'
  | 'EncryptionHandler'
  | 'Handler'

export type JsonObject = { readonly [member: string]: unknown }

/** What is known of a call while it runs. The envelope is made from this alone. */
export interface EnvelopeState extends SuppliedToken {
  handler: HandlerName
  /** The echo: members of query and body as they were sent, without secrets. */
  data: JsonObject
  headers: JsonObject
  /** The token for the next call; set once the supplied one was accepted. */
  token?: string
  /** Set once the application is known. */
  responseVersion?: ResponseVersion
  /** Headers besides those that every answer has. */
  answerHeaders?: Readonly<Record<string, string>>
}

/** A document as it is sent. All calls that ask for it share one buffer. */
export interface Page {
  readonly contentType: string
  readonly content: Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** A text of some megabytes, in pieces of ASCII that need no escaping in JSON. */
export interface LongText {
  readonly member: string
  readonly pieces: readonly Buffer[]
}

/** The answer of a handler, besides what every envelope contains. */
export interface Reply {
  readonly callinfo?: JsonObject
  /** Members that are added to the echo in DATA. */
  readonly data?: JsonObject
  /** Members at the top level, such as VAULT or KEYS. */
  readonly members?: JsonObject
  /** The last member, where its text is too long to be joined: see LongText. */
  readonly longText?: LongText
  /** A page instead of an envelope, for calls that document the interface. */
  readonly page?: Page
  /** Sentences for CALLINFO.general. */
  readonly general?: readonly string[]
  /** The caller has logged out: the browser is told to forget all data of the appliance. */
  readonly endsSession?: true
  /** Called once, when the answer has left or its connection is closed. */
  readonly afterSend?: () => void
}

/** An HTTP response: status and body. An envelope is ASCII, so that no client splits a character between two reads. */
export interface Answer {
  readonly status: number
  readonly body: string | Buffer
  /** The pieces that follow the body, in an answer with a long text. */
  readonly rest?: readonly Buffer[]
  readonly headers: Readonly<Record<string, string>>
}

export function success(state: EnvelopeState, status: number, reply: Reply): Answer {
  if (reply.page) return pageAnswer(status, reply.page)
  const callinfo = {
    errorcodes: 0,
    errors: 0,
    general: reply.general ?? [],
    handler: state.handler,
    status: 'SUCCESS',
    ...tokenOf(state),
    ...reply.callinfo,
  }
  const envelope = {
    CALLINFO: callinfo,
    DATA: echo(state, reply.data),
    HEADERS: state.headers,
    PARAMS: [],
    ...reply.members,
  }
  const json = jsonOf(inVersion(envelope, state))
  const headers = { ...fixedHeaders, ...state.answerHeaders }
  return { status, headers, ...(reply.longText ? withLongText(json, reply.longText) : { body: json }) }
}

/** Keeps the pieces as they are: joined, a file of 64 MiB would be copied four times on its way. */
function withLongText(json: string, { member, pieces }: LongText): Pick<Answer, 'body' | 'rest'> {
  return { body: `${json.slice(0, -1)},"${member}":"`, rest: [...pieces, Buffer.from('"}')] }
}

export function failure(state: EnvelopeState, fault: Fault): Answer {
  const { status, number, text, general } = faultCatalogue[fault.code]
  const callinfo = {
    errorcodes: 1,
    errors: 1,
    general: general ? [text] : [],
    handler: state.handler,
    status: 'FAIL',
    ...tokenOf(state),
  }
  const envelope = {
    CALLINFO: callinfo,
    DATA: echo(state, undefined),
    HEADERS: state.headers,
    PARAMS: [],
    ERRORCODES: { [number]: text, [genericNumber]: genericText },
    ERRORS: [fault.detail ?? text],
  }
  const { retryAfterMs } = fault
  const patience = retryAfterMs === undefined ? {} : { 'Retry-After': String(Math.ceil(retryAfterMs / 1000)) }
  const headers = { ...fixedHeaders, ...state.answerHeaders, ...patience }
  return { status, body: jsonOf(inVersion(envelope, state)), headers }
}

/** The answer to a request of which nothing but the headers was read. */
export function refusal(fault: Fault, headers: IncomingHeaders = {}): Answer {
  return failure(createEnvelopeState(headers), fault)
}

/** Headers with names in lower case, as node:http and node:http2 give them. */
export type IncomingHeaders = Readonly<Record<string, string | string[] | undefined>>

/** The state of a call of which only the headers are known. */
export function createEnvelopeState(headers: IncomingHeaders, handler: HandlerName = 'Handler'): EnvelopeState {
  return { handler, data: {}, headers: canonicalHeaders(headers), ...tokenInHeaders(headers) }
}

const inVersion = (envelope: Envelope, { responseVersion = currentResponseVersion }: EnvelopeState): JsonObject =>
  responseVersion === currentResponseVersion ? envelope : toLegacyResponse(envelope)

const tokenOf = (state: EnvelopeState): JsonObject => (state.token === undefined ? {} : { token: state.token })

function echo(state: EnvelopeState, more: JsonObject | undefined): unknown {
  const { suppliedToken: token } = state
  const data = Object.assign({}, state.data, more, token === undefined ? undefined : { token })
  // An empty echo is an array, as published clients expect (spec: "Get enabled login types").
  return Object.keys(data).length === 0 ? [] : data
}

const jsonOf = (envelope: JsonObject): string => escapeBeyondAscii(JSON.stringify(envelope))

function pageAnswer(status: number, { contentType, content, headers }: Page): Answer {
  return { status, body: content, headers: { ...fixedHeaders, 'Content-Type': contentType, ...headers } }
}

const fixedHeaders = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  'Strict-Transport-Security': 'max-age=31536000',
  'X-Content-Type-Options': 'nosniff',
} as const

/** Credentials for a proxy in front, and cookies including our own: echoing them would only spread them. */
const unechoed = new Set(['authorization', 'proxy-authorization', 'cookie'])
/** HTTP/2 has a field of its own for the host (RFC 9113, 8.3.1). */
const canonicalNames = new Map([[':authority', 'Host']])

/** The request's headers with their customary capitals (`X-Http-Token`). */
function canonicalHeaders(headers: IncomingHeaders): JsonObject {
  // An ordinary object, because those are serialized fastest. It has no own member __proto__.
  const echoed: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const isOfProtocol = name.startsWith(':') && !canonicalNames.has(name)
    if (value === undefined || isOfProtocol || unechoed.has(name)) continue
    echoed[canonicalName(name)] = Array.isArray(value) ? value.join(', ') : value
  }
  return echoed
}

function canonicalName(name: string): string {
  const known = canonicalNames.get(name)
  if (known !== undefined) return known
  const canonical = name
    .toLowerCase()
    .replaceAll(/(^|-)([a-z])/g, (_match, dash: string, letter: string) => dash + letter.toUpperCase())
  // Clients choose the names, so the cache is bounded: it serves the few that every request has.
  if (canonicalNames.size < 256) canonicalNames.set(name, canonical)
  return canonical
}
