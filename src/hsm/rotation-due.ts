/** Most encryptions with one version (NIST SP 800-38D §8.3: 2^32 with random 96-bit IVs). */
export const mostInvocations = 2 ** 32

/** Most encryptions that a worker reserves at once (`transparent.invocationLease`). */
export const longestLease = 2 ** 24

/** The shortest and the longest age in milliseconds after which the policy of a key may ask for its next version. */
export const rotationPeriods = { shortest: 3_600_000, longest: 315_360_000_000 } as const
export const isRotationPeriod = (ms: number): boolean => ms >= rotationPeriods.shortest && ms <= rotationPeriods.longest

/**
 * How long the keeper's permission for a due rotation is valid, in milliseconds. The new key is made within this time,
 * and RSA keys may wait in a queue. However often it is requested, it allows one version.
 */
export const rotationMs = 300_000

/** The part of `mostInvocations` after which a version is replaced at its next use. */
const nearlyExhausted = 0.9

/**
 * A version that is dated ahead by more than this and more than the period was made while the clock was wrong: it would
 * stay for years otherwise. Clocks of machines that share a database differ by less, so that none takes the versions of
 * another for such.
 */
const differenceMs = 86_400_000

/** What decides whether a rotation is due, from the key's policy, its latest version, and the count of that version. */
export interface RotationState {
  /** 0: the key is not rotated by age. */
  readonly autoRotatePeriodMs: number
  readonly createdAt: number
  readonly invocations: number
}

/**
 * Whether the latest version of a key must be replaced before its next use, because its encryptions are nearly used up
 * or it is older than the policy allows. The worker decides by this, and the keeper again before it allows the
 * rotation.
 */
export function isRotationDue({ autoRotatePeriodMs, createdAt, invocations }: RotationState, now: number): boolean {
  if (invocations >= mostInvocations * nearlyExhausted) return true
  if (autoRotatePeriodMs === 0) return false
  const ageMs = now - createdAt
  return ageMs >= autoRotatePeriodMs || -ageMs >= Math.max(autoRotatePeriodMs, differenceMs)
}
