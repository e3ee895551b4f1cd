import { holds } from '../../access/capabilities.ts'
import { utcText } from '../../clock.ts'
import { isWeak } from '../users/passphrase-policy.ts'
import type { User } from '../users/records.ts'

/** One sentence per key. Clients may recognise the key, for example `passphrase_weak`. */
export type Sentences = Readonly<Record<string, string>>

/** What a user who has just logged in should know (`CALLINFO.audit`; spec: Session / login result). */
export interface Advice {
  /** Rules of the site that the user breaks now. */
  readonly violations: Sentences
  /** Rules that will soon be broken, and unusual events. */
  readonly warnings: Sentences
}

/** Merges advice; where two parts have the same key, the later one wins. */
export function combined(parts: readonly Partial<Advice>[]): Advice {
  return {
    violations: Object.assign({}, ...parts.map(({ violations }) => violations)),
    warnings: Object.assign({}, ...parts.map(({ warnings }) => warnings)),
  }
}

const dayMs = 24 * 3_600_000
/** The warning begins when this part of the pass phrase's time is left. */
const lastPart = 0.1

/** Advice about the pass phrase of a user who has just logged in. `maxAgeMs` 0: its age is not limited. */
export function passphraseAdvice(user: User, strength: number, now: number, maxAgeMs: number): Advice {
  const age = maxAgeMs === 0 ? { violations: {}, warnings: {} } : ageAdvice(now - user.passphraseChangedAt, maxAgeMs)
  const asked: Sentences = holds(user.capabilities, 'changePassphrase')
    ? { passphrase_change: 'An administrator asks you to change your pass phrase.' }
    : {}
  const weak: Sentences = isWeak(strength)
    ? { passphrase_weak: 'Your pass phrase is weak: change it to one that is hard to guess.' }
    : {}
  return { violations: { ...age.violations, ...asked }, warnings: { ...age.warnings, ...weak } }
}

function ageAdvice(ageMs: number, maxAgeMs: number): Advice {
  const leftMs = maxAgeMs - ageMs
  if (leftMs < 0) {
    const sentence = `Your pass phrase is ${days(ageMs)} old, and may grow ${days(maxAgeMs)} old here: change it.`
    return { violations: { passphrase_old: sentence }, warnings: {} }
  }
  if (leftMs > maxAgeMs * lastPart) return { violations: {}, warnings: {} }
  const sentence = `Your pass phrase has to be changed within ${days(leftMs)}.`
  return { violations: {}, warnings: { passphrase_old: sentence } }
}

function days(ms: number): string {
  const whole = Math.max(1, Math.floor(ms / dayMs))
  return whole === 1 ? 'a day' : `${whole} days`
}

/** A warning about failed logins under the user's name since the last successful one. */
export function failureWarning({ failedLogins, lastFailedLoginAt }: User): Sentences {
  if (failedLogins === 0 || lastFailedLoginAt === null) return {}
  const logins = failedLogins === 1 ? 'A login' : `${failedLogins} logins`
  const have = failedLogins === 1 ? 'has' : 'have'
  return {
    failed_logins: `${logins} with your name ${have} failed since your last one, the latest at ${utcText(lastFailedLoginAt)} UTC.`,
  }
}
