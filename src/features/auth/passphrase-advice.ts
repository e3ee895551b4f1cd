import { holds } from '../../access/capabilities.ts'
import { utcText } from '../../clock.ts'
import { isWeak } from '../users/passphrase-strength.ts'
import type { User } from '../users/records.ts'
import type { Advice, Sentences } from './login-advice.ts'

const dayMs = 24 * 3_600_000
/** A warning comes in the last part of a pass phrase's time. */
const lastPart = 0.1

/** About the pass phrase of a user who has just used it. `maxAgeMs` 0: it may grow as old as it likes. */
export function passphraseAdvice(user: User, strength: number, now: number, maxAgeMs: number): Advice {
  const age = maxAgeMs === 0 ? { violations: {}, warnings: {} } : ageAdvice(now - user.passphraseChangedAt, maxAgeMs)
  const asked: Sentences = holds(user.capabilities, 'changePassphrase')
    ? { passphrase_change: 'An administrator asks you to change your pass phrase.' }
    : {}
  const weak: Sentences = isWeak(strength)
    ? { passphrase_weak: 'Your pass phrase is weak: change it to one that nobody would guess.' }
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

/** About logins with the user's name that failed since the last good one. */
export function failureWarning({ failedLogins, lastFailedLoginAt }: User): Sentences {
  if (failedLogins === 0 || lastFailedLoginAt === null) return {}
  const logins = failedLogins === 1 ? 'A login' : `${failedLogins} logins`
  const have = failedLogins === 1 ? 'has' : 'have'
  return {
    failed_logins: `${logins} with your name ${have} failed since your last one, the latest at ${utcText(lastFailedLoginAt)} UTC.`,
  }
}
