/** The clock, which is injected so that tests can set it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** A time in the format of answers: `2026-01-31 08:15:00`, UTC. */
export const utcText = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

export const systemClock: Clock = { now: () => Date.now() }
