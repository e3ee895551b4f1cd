import type { AnyEnvelope } from './answer.ts'
import { addresses, type Operations } from './api.ts'
import { createBatching, type BatchCall, type BatchLimits, type ItemResult } from './batching.ts'
import { StrongroomError } from './errors.ts'
import { createKey, type Key, type KeyCalls } from './key.ts'
import type { Login } from './logins.ts'
import { baseOf, bodyOf, pathOf, type Input, type Upload } from './request.ts'
import { isRepeatable, withRetries, type RetryRules } from './retry.ts'
import { sendLogin, sendLogout } from './login-call.ts'
import { send } from './sending.ts'
import { createSession } from './session.ts'
import { fetchTransport, type Transport } from './transport.ts'

export interface ClientOptions extends Partial<RetryRules> {
  /** Address of the appliance, for example `https://vault.example.com`. */
  readonly url: string | URL
  readonly login?: Login
  /** The session token of an earlier run. Without a login, the client fails when that session ends. */
  readonly token?: string | undefined
  /** Called with each new token, and with undefined when the session has ended. */
  readonly onToken?: (token: string | undefined) => void
  readonly transport?: Transport
  /** Milliseconds that one try may take; 30,000 by default. */
  readonly timeoutMs?: number
  /** false: calls are not joined, except those with `batch: true`. */
  readonly batch?: boolean | Partial<BatchLimits>
}

export interface CallOptions {
  readonly signal?: AbortSignal
  /** Milliseconds that one try may take. */
  readonly timeoutMs?: number
  /** The most retries, for a call that may be repeated. */
  readonly retries?: number
}

type Optional<T> = { [Name in keyof T as object extends T[Name] ? never : Name]: T[Name] } & {
  [Name in keyof T as object extends T[Name] ? Name : never]?: T[Name]
}

/** The input of an operation: `params` of its path, `query`, `body`, and the file if it takes one. */
export type InputOf<O extends keyof Operations> = Optional<Omit<Operations[O], 'answer'>> & { readonly file?: Upload }
export type AnswerOf<O extends keyof Operations> = Operations[O]['answer']
type CallArguments<O extends keyof Operations> =
  object extends InputOf<O> ? [input?: InputOf<O>, options?: CallOptions] : [input: InputOf<O>, options?: CallOptions]

export interface Client {
  /**
   * Calls any operation of the interface, by its name in the OpenAPI document. Resolves to the envelope of its success.
   */
  call<O extends keyof Operations>(operation: O, ...input: CallArguments<O>): Promise<AnswerOf<O>>
  /**
   * A key by its name. Makes no call. The first encryption creates a key that does not exist, where the vault allows
   * that.
   */
  key(vaultid: string | number, name: string): Key
  /** Logs in if there is no session. Without this, the first call does. */
  login(options?: CallOptions): Promise<void>
  /** Ends the session. */
  logout(options?: CallOptions): Promise<void>
  /** Closes the connections, once the calls under way have ended. The session remains open until it expires. */
  close(): void
}

const retryDefaults: RetryRules = { retries: 4, firstDelayMs: 200, longestDelayMs: 20_000 }
const batchDefaults: BatchLimits = { maxItems: 1_000, maxCharacters: 1_500_000, maxCalls: 4 }

export function createClient(options: ClientOptions): Client {
  const { login, batch = true, transport = fetchTransport(), timeoutMs = 30_000 } = options
  const base = baseOf(options.url)
  // In a header it would fail each call, as if there were no appliance.
  if (!/^[!-~]*$/.test(options.token ?? ''))
    throw new TypeError('The token has a character that is none of a token, such as a line break.')
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
      if (token === undefined) return send(transport, { method, url, body }, limits)
      const onToken = (next: string): void => session.used(token, next)
      return send(transport, { method, url, body, token, onToken }, limits)
    }
    const attempt = async (): Promise<AnyEnvelope> => {
      if (access === 'public') return sendOnce(undefined)
      const token = await session.token(callOptions.signal)
      try {
        return await sendOnce(token)
      } catch (error) {
        // The appliance checks the token before it acts, so that every call may be repeated with a new token.
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
    async logout({ signal, timeoutMs: limitMs = timeoutMs } = {}) {
      const token = session.current()
      if (token !== undefined) await sendLogout(token, { base, transport }, { signal, timeoutMs: limitMs })
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
