/** One thing that the monitor looks at, as `/health/ready` tells it. */
export interface StateCheck {
  readonly name: string
  readonly state: 'ok' | 'warning' | 'failed'
  readonly detail: string
}

/** Something that an operator should see to, for as long as it is so. */
export interface StateWarning {
  readonly name: string
  readonly state: 'warning' | 'problem'
  readonly detail: string
  readonly remedy: string
}

/** What the daemon sees of itself; for people, and without a path, a user or a secret. */
export interface ApplianceState {
  readonly status: 'ready' | 'not_ready' | 'stopping'
  /** When it was looked at, in milliseconds since the Unix epoch. */
  readonly at: number
  readonly checks: readonly StateCheck[]
  readonly warnings: readonly StateWarning[]
}

/** Asks the primary, which alone sees all processes; undefined where it does not answer in time. */
export type AskState = () => Promise<ApplianceState | undefined>
