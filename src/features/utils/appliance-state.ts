/** One check of the monitor, as `/health/ready` reports it. */
export interface StateCheck {
  readonly name: string
  readonly state: 'ok' | 'warning' | 'failed'
  readonly detail: string
}

/** A condition that an operator should attend to, for as long as it holds. */
export interface StateWarning {
  readonly name: string
  readonly state: 'warning' | 'problem'
  readonly detail: string
  readonly remedy: string
}

/** The state of the appliance for people, without paths, users or secrets. */
export interface ApplianceState {
  readonly status: 'ready' | 'not_ready' | 'stopping'
  /** Time of the observation, in milliseconds since the Unix epoch. */
  readonly at: number
  readonly checks: readonly StateCheck[]
  readonly warnings: readonly StateWarning[]
}

/** Asks the primary, which alone sees all processes; undefined where it does not answer in time. */
export type AskState = () => Promise<ApplianceState | undefined>
