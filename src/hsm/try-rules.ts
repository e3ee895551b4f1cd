/** How often the keeper lets one pass phrase, or the codes of one device, be tried wrongly. */
export interface TryRules {
  /** Wrong tries at once. */
  readonly burst: number
  /** In which time one more is allowed. */
  readonly intervalMs: number
}

/**
 * They follow from the limits of the workers' throttle, which counts by network and is stricter: from places where a user was never
 * seen it lets half a burst through, with a second factor that cannot be guessed a quarter, and forgets either no sooner than the
 * keeper does. Only a worker that does not ask the throttle comes near these.
 */
export const tryRulesOf = (login: { readonly freeAttempts: number; readonly longestDelayMs: number }): TryRules => ({
  burst: 20 * login.freeAttempts,
  intervalMs: login.longestDelayMs / 4,
})
