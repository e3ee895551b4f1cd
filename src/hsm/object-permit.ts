import { clockSkewMs } from '../access/decision.ts'

/** How long the keeper's permit for an object in the token is valid, in milliseconds. RSA keys may wait in a queue. */
export const objectPermitMs = 300_000

/** Whether a permit is valid at this time. Its end also lies near, so that none serves for ever that a wrong clock dated. */
export const isPermitInTime = (expiresAt: number, now: number): boolean =>
  expiresAt >= now && expiresAt <= now + objectPermitMs + clockSkewMs
