import type { AnyEnvelope } from './answer.ts'
import { addresses, type Operations } from './api.ts'
import { createBatching, type BatchCall, type BatchLimits, type ItemResult } from './batching.ts'
import { StrongroomError } from './errors.ts'
import { createKey, type Key, type KeyCalls } from './key.ts'
import type { Login } from './logins.ts'
import { baseOf, bodyOf, pathOf, type Input, type Upload } from './request.ts'
import { isRepeatable, withRetries, type RetryRules } from './retry.ts'
import { sendLogin } from './login-call.ts'
import { send } from './sending.ts'
import { createSession } from './session.ts'
import { fetchTransport, type Transport } from './transport.ts'

export interface ClientOptions extends Partial<RetryRules> {
  /** Address of the appliance, for example `https://vault.example.com`. */
  readonly url: string | URL
  readonly login?: Login
  /** The session token of an earlier run; without a login, the client ends with it. */
  readonly token?: string | undefined
  /** Called with each new token; with undefined when the session has ended. */
  readonly onToken?: (token: string | undefined) => void
  readonly transport?: Transport
  /** How long one try may take; 30 seconds if absent. */
  readonly timeoutMs?: number
  /** false: no call is joined with others, unless it says so. */
  readonly batch?: boolean | Partial<BatchLimits>
}

export interface CallOptions {
  readonly signal?: AbortSignal
  /** How long one try may take. */
  readonly timeoutMs?: number
  /** How often the call is repeated at most, if it is one that may be. */
  readonly retries?: number
}

type Optional<T> = { [Name in keyof T as object extends T[Name] ? never : Name]: T[Name] } & {
  [Name in keyof T as object extends T[Name] ? Name : never]?: T[Name]
}

/** What a call of the operation takes: `params` of its path, `query`, `body`, and the file of those that take one. */
export type InputOf<O extends keyof Operations> = Optional<Omit<Operations[O], 'answer'>> & { readonly file?: Upload }
export type AnswerOf<O extends keyof Operations> = Operations[O]['answer']
type CallArguments<O extends keyof Operations> =
  object extends InputOf<O> ? [input?: InputOf<O>, options?: CallOptions] : [input: InputOf<O>, options?: CallOptions]

export interface Client {
  /** Any operation of the interface, by its name in the OpenAPI document. Resolves to the envelope of its success. */
  call<O extends keyof Operations>(operation: O, ...input: CallArguments<O>): Promise<AnswerOf<O>>
  /** The key is asked for when it is used; the first encryption makes one that is not there, where that is allowed. */
  key(vaultid: string | number, name: string): Key
  /** Logs in now, if there is no session yet; otherwise the first call does. */
  login(options?: CallOptions): Promise<void>
  /** Ends the session at the appliance. */
  logout(options?: CallOptions): Promise<void>
  /** Ends connections that are kept open; the session goes on until its time. */
  close(): void
}

const retryDefaults: RetryRules = { retries: 4, firstDelayMs: 200, longestDelayMs: 20_000 }
const batchDefaults: BatchLimits = { maxItems: 1_000, maxCharacters: 1_500_000, maxCalls: 4 }

export function createClient(options: ClientOptions): Client {
  const { login, batch = true, transport = fetchTransport(), timeoutMs = 30_000 } = options
  const base = baseOf(options.url)
  const rules = rulesOf(options)
  const session = createSession({
    login,
    token: options.token,
    onToken: options.onToken,
    send: (way) => sendLogin(way, { base, transport, rules, timeoutMs }),
  })

  const call = async (
    operation: keyof Operations,
    input: Input = {},
    callOptions: CallOptions = {},
  ): Promise<AnyEnvelope> => {
    const [method, template, access] = addresses[operation]
    const url = `${base}${pathOf(template, input)}`
    const body = await bodyOf(method, input)
    const sendOnce = async (token: string | undefined): Promise<AnyEnvelope> => {
      const limits = { signal: callOptions.signal, timeoutMs: callOptions.timeoutMs ?? timeoutMs }
      const envelope = await send(transport, { method, url, body, token }, limits)
      if (token !== undefined) session.used(token, envelope.CALLINFO.token)
      return envelope
    }
    const attempt = async (): Promise<AnyEnvelope> => {
      if (access === 'public') return sendOnce(undefined)
      const token = await session.token(callOptions.signal)
      try {
        return await sendOnce(token)
      } catch (error) {
        // The appliance refuses a token before it begins to act: every call may go again with a good one.
        if (!(error instanceof StrongroomError) || error.code !== 'session.invalid') throw error
        if (!session.isLost(token)) throw error
        return sendOnce(await session.token(callOptions.signal))
      }
    }
    const { retries = rules.retries } = callOptions
    return withRetries(attempt, { ...rules, retries: isRepeatable(operation) ? retries : 0 }, callOptions.signal)
  }

  const sendJoined = async ({ operation, params, options }: BatchCall, body: ItemResult): Promise<ItemResult> =>
    (await call(operation, { params, body }, options)).CALLINFO
  const join = createBatching(sendJoined, { ...batchDefaults, ...(typeof batch === 'object' ? batch : {}) })
  const keyCalls: KeyCalls = {
    item: (one, item, signal, isJoined = batch !== false) =>
      isJoined
        ? join(one, item, signal)
        : sendJoined({ ...one, options: { ...one.options, ...(signal && { signal }) } }, { ...one.shared, ...item }),
    single: async (operation, params, body, options) => (await call(operation, { params, body }, options)).CALLINFO,
  }

  return {
    call,
    key: (vaultid, name) => createKey(String(vaultid), name, keyCalls),
    async login({ signal } = {}) {
      await session.token(signal)
    },
    async logout(options = {}) {
      if (session.current() === undefined) return
      await call('auth.logout', {}, options)
      session.forget()
    },
    close: () => transport.close?.(),
  }
}

const rulesOf = ({
  retries = retryDefaults.retries,
  firstDelayMs = retryDefaults.firstDelayMs,
  longestDelayMs = retryDefaults.longestDelayMs,
}: Partial<RetryRules>): RetryRules => ({ retries, firstDelayMs, longestDelayMs })
