import type { Session } from './session-records.ts'

export interface SessionLimits {
  readonly idleTimeoutMs: number
  readonly absoluteTimeoutMs: number
}

/** The last call of a session is noted this many times per idle time-out at most: a write per call would be its cost. */
const touchesPerTimeout = 20

/** How old the note of a session's last call may grow. */
export const touchEveryMs = ({ idleTimeoutMs }: SessionLimits): number => idleTimeoutMs / touchesPerTimeout

/**
 * Whether a session has been idle too long, or is too old. A last call far in the future counts as one far in the past:
 * a clock that was set back lends nobody time.
 */
export function hasExpired(
  { createdAt, lastSeenAt }: Pick<Session, 'createdAt' | 'lastSeenAt'>,
  limits: SessionLimits,
  now: number,
): boolean {
  const idle = Math.abs(now - lastSeenAt) > limits.idleTimeoutMs + touchEveryMs(limits)
  return idle || now - createdAt > limits.absoluteTimeoutMs
}
