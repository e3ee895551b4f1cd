import type { UniqueObject } from '../../encoding/unique-json.ts'
import { refused } from '../assertion.ts'

/** The requirements for the claims of an assertion; times in milliseconds. */
export interface ExpectedClaims {
  readonly issuer: string
  /** The claim `aud` must be, or contain, one of these. */
  readonly audiences: readonly string[]
  readonly now: number
  /** Greatest time from now to the end of the assertion. */
  readonly longestMs: number
}

/** Tolerated deviation of the signer's clock. */
const skewMs = 60_000

/** Returns the time from which the assertion is refused as expired. @throws Fault `login.refused` */
export function checkClaims(
  { iss, aud, exp, nbf, iat }: UniqueObject,
  { issuer, audiences, now, longestMs }: ExpectedClaims,
): number {
  if (iss !== issuer) throw refused('the assertion is of another issuer')
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  if (!named.some((one) => typeof one === 'string' && audiences.includes(one)))
    throw refused('the assertion is for another audience')
  const ends = timeIn('exp', exp)
  if (ends === undefined) throw refused('the assertion has no end (exp)')
  if (now >= ends + skewMs) throw refused('the assertion has expired')
  if (ends > now + longestMs + skewMs) throw refused(`the assertion ends later than ${longestMs / 1_000} s from now`)
  for (const [name, value] of Object.entries({ nbf, iat }))
    if ((timeIn(name, value) ?? 0) > now + skewMs) throw refused(`the assertion is from the future (${name})`)
  return ends + skewMs
}

/** A NumericDate, which may have a fraction (RFC 7519 §2). */
function timeIn(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'number' || value < 0 || value > latestSeconds) throw refused(`${name} is not a time`)
  return Math.floor(value * 1_000)
}

/** 9999-12-31, the latest time of four-digit years. */
const latestSeconds = 253_402_300_799
