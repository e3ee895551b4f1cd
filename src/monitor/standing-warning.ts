/** Something that an operator should see to, for as long as it is so. */
export interface StandingWarning {
  /** What it is about, for example `disk.audit`: the same as long as the warning lasts. */
  readonly name: string
  readonly state: 'warning' | 'problem'
  readonly detail: string
  readonly remedy: string
}
