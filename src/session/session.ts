import type { Clock } from '../clock.ts'
import type { Tx } from '../store/store.ts'
import { endSession, insertSession, sweepSessions } from './records.ts'
import { newSessionToken } from './session-token.ts'

export interface NewSession {
  readonly userId: number
  readonly applicationKeyId: number
  readonly address: string
}

export interface Sessions {
  /** What clients are told as `timeout`, in milliseconds. */
  readonly idleTimeoutMs: number
  /** Begins a session; the token exists nowhere but in the result. */
  open(tx: Tx, session: NewSession): Promise<{ sessionId: number; token: string }>
  end(tx: Tx, sessionId: number): Promise<void>
}

export interface SessionLimits {
  readonly idleTimeoutMs: number
  readonly absoluteTimeoutMs: number
}

export function createSessions({ clock, limits }: { readonly clock: Clock; readonly limits: SessionLimits }): Sessions {
  return {
    idleTimeoutMs: limits.idleTimeoutMs,

    async open(tx, session) {
      const now = clock.now()
      await sweepSessions(tx, now - limits.absoluteTimeoutMs)
      const { token, hash } = newSessionToken()
      const sessionId = await insertSession(tx, { ...session, createdAt: now, lastSeenAt: now, endedAt: null }, hash)
      return { sessionId, token }
    },

    end: (tx, sessionId) => endSession(tx, sessionId, clock.now()),
  }
}
