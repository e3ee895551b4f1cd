/** How often one version may encrypt (NIST SP 800-38D §8.3: 2^32 with random 96-bit IVs). */
export const mostInvocations = 2 ** 32

/** The most that a worker reserves of them at once (`transparent.invocationLease`). */
export const longestLease = 2 ** 24

/**
 * For how long the keeper's word holds that a rotation is due. An RSA key comes first, for which there may be a queue. What
 * is allowed is one version, however often it is asked for.
 */
export const rotationMs = 300_000

/** Share of the safe encryptions after which a version is replaced at its next use. */
const nearlyExhausted = 0.9

/** What a rotation without a caller rests on: the key's policy, its latest version, and the count of that. */
export interface RotationState {
  /** 0 for never. */
  readonly autoRotatePeriodMs: number
  readonly createdAt: number
  readonly invocations: number
}

/**
 * Whether the latest version of a key is to be replaced before its next use: it is nearly used up, or older than the key
 * allows. The worker asks, and the keeper, which allows it.
 */
export function isRotationDue({ autoRotatePeriodMs, createdAt, invocations }: RotationState, now: number): boolean {
  if (invocations >= mostInvocations * nearlyExhausted) return true
  return autoRotatePeriodMs > 0 && now - createdAt >= autoRotatePeriodMs
}
