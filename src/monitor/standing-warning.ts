/** A condition that needs the operator, for as long as it lasts. */
export interface StandingWarning {
  /** The subject, for example `disk.audit`; it stays the same while the warning lasts. */
  readonly name: string
  readonly state: 'warning' | 'problem'
  readonly detail: string
  readonly remedy: string
}
