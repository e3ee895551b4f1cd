import { hasStatus, Refusal } from './refusal.ts'

const longestWaitMs = 10_000
const mostRetries = 2

/** Milliseconds before a retry: twice as many each time, and no fewer than the appliance asks for. */
export const delayOf = (count: number, error: unknown): number =>
  Math.max(1_000 * 2 ** count, 1_000 * ((error instanceof Refusal && error.waitSeconds) || 0))

/**
 * Whether a reading that has failed is tried again: no answer arrived, or the appliance cannot serve the call at the
 * moment (503).
 */
export const isTriedAgain = (count: number, error: unknown): boolean =>
  count < mostRetries && hasStatus(error, 0, 503) && delayOf(count, error) <= longestWaitMs
