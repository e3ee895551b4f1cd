/** How often the keeper allows wrong tries of one pass phrase, or of the codes of one device. */
export interface TryRules {
  /** Wrong tries in a row. */
  readonly burst: number
  /** Time after which one more is allowed, in milliseconds. */
  readonly intervalMs: number
}

/**
 * The limits follow from those of the workers' throttle, which counts per network and is stricter: in networks unknown
 * to a user it allows half a burst, with a second factor that cannot be guessed a quarter, and it forgets neither
 * sooner than the keeper does. Only a worker that bypasses the throttle reaches these limits.
 */
export const tryRulesOf = (login: { readonly freeAttempts: number; readonly longestDelayMs: number }): TryRules => ({
  burst: 20 * login.freeAttempts,
  intervalMs: login.longestDelayMs / 4,
})
