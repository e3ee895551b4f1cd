import type { AnyEnvelope } from './answer.ts'
import { AuthenticationError } from './errors.ts'
import type { Login } from './logins.ts'
import { untilAborted } from './retry.ts'

export interface Session {
  /** Resolves to the token for the next call, after a login if there is no session. */
  token(signal: AbortSignal | undefined): Promise<string>
  /** Notes that a call with this token was answered, and the token that the answer gives for the next call. */
  used(sent: string, next: string): void
  /**
   * Forgets a token that the appliance refuses. Returns whether the call can be repeated with another token or a new
   * login.
   */
  isLost(sent: string): boolean
  /** The present token, without a login. */
  current(): string | undefined
  forget(): void
}

export interface SessionOptions {
  readonly login: Login | undefined
  /** A token of an earlier run. */
  readonly token: string | undefined
  /**
   * Called with each new token, so that a program can keep it for its next run, and with undefined when the session has
   * ended.
   */
  readonly onToken: ((token: string | undefined) => void) | undefined
  /** Sends a login and resolves to the envelope of its success. */
  readonly send: (login: Login) => Promise<AnyEnvelope>
}

interface Open {
  token: string
  /** Time at which the session ends unless it is used, in milliseconds. Infinity for a token of an earlier run. */
  endsAt: number
  /** Time from which the session is renewed, in parallel with calls. */
  renewAt: number
  /** Milliseconds by which each call prolongs the session; 0 for a fixed end. */
  readonly idleMs: number
}

/** The part of its lifetime after which a session with a fixed end is renewed. Calls use the old token meanwhile. */
const renewalPart = 0.8
/** Milliseconds before a failed renewal is repeated, while the old session is still valid. */
const renewAgainMs = 5_000

export function createSession({ login, token, onToken, send }: SessionOptions): Session {
  let open: Open | undefined =
    token === undefined ? undefined : { token, endsAt: Infinity, renewAt: Infinity, idleMs: 0 }
  let renewal: Promise<string> | undefined

  async function logIn(way: Login): Promise<string> {
    const startedAt = Date.now()
    const { token, timeout } = (await send(way)).CALLINFO
    if (token === undefined) throw new AuthenticationError('The login gave no token.', { code: 'protocol' })
    const lifeMs = typeof timeout === 'number' && timeout > 0 ? timeout : Infinity
    const isFixed = way.lifetime === 'fixed'
    open = {
      token,
      endsAt: startedAt + lifeMs,
      renewAt: isFixed ? startedAt + lifeMs * renewalPart : Infinity,
      idleMs: isFixed ? 0 : lifeMs,
    }
    onToken?.(token)
    return token
  }

  /** Logs in once for all waiting callers. A caller that cancels does not stop it for the others. */
  function renew(): Promise<string> {
    if (login === undefined)
      return Promise.reject(
        new AuthenticationError('The client has no session, and no login to begin one.', { code: 'session.invalid' }),
      )
    renewal ??= logIn(login).finally(() => (renewal = undefined))
    return renewal
  }

  function renewBeside(session: Open): void {
    session.renewAt = Date.now() + renewAgainMs
    // The error is ignored, because the old session is valid until its end. A login after that reports it.
    renew().catch(() => undefined)
  }

  return {
    async token(signal) {
      const now = Date.now()
      if (open === undefined || now >= open.endsAt) return untilAborted(renew(), signal)
      if (now >= open.renewAt) renewBeside(open)
      return open.token
    },
    used(sent, next) {
      if (open?.token !== sent) return
      if (open.idleMs > 0) open.endsAt = Date.now() + open.idleMs
      if (next === sent) return
      open.token = next
      onToken?.(next)
    },
    isLost(sent) {
      if (open?.token === sent) {
        open = undefined
        onToken?.(undefined)
      }
      return open !== undefined || login !== undefined
    },
    current: () => open?.token,
    forget() {
      if (open === undefined) return
      open = undefined
      onToken?.(undefined)
    },
  }
}
