import type { AnyEnvelope } from './answer.ts'
import { AuthenticationError } from './errors.ts'
import type { Login } from './logins.ts'
import { untilAborted } from './retry.ts'

export interface Session {
  /** The token for the next call, after a login where there is none yet. */
  token(signal: AbortSignal | undefined): Promise<string>
  /** A call with this token was answered, and the answer names the token for the next. */
  used(sent: string, next: string | undefined): void
  /** The appliance does not know this token any more; whether there is another way to go on. */
  isLost(sent: string): boolean
  /** The token as it is, without a login. */
  current(): string | undefined
  forget(): void
}

export interface SessionOptions {
  readonly login: Login | undefined
  /** A token of an earlier run. */
  readonly token: string | undefined
  /** Called with each new token, so that a program may keep it for its next run; undefined when the session has ended. */
  readonly onToken: ((token: string | undefined) => void) | undefined
  /** Sends a login and resolves to the envelope of its success. */
  readonly send: (login: Login) => Promise<AnyEnvelope>
}

interface Open {
  token: string
  /** When the session ends unless it is used; unknown of a token of an earlier run. */
  endsAt: number
  /** From when on a renewal runs beside the calls. */
  renewAt: number
  /** What each call adds to the end; 0 where the end is fixed. */
  readonly idleMs: number
}

/** The part of its life after which a session of fixed length is renewed: calls go on with the old token meanwhile. */
const renewalPart = 0.8
/** After a renewal that failed, while the old session is still good. */
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

  /** One for all who wait. A caller who gives up leaves it to the others. */
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
    // The old session is good until its end: a failure shows then.
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
      if (next === undefined || next === sent) return
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
