/**
 * The state in which a change leaves the rows that its record is about, by the row's name (`key 3/greeting`); null for a
 * row that it removed.
 */
export type RecordedRows = Readonly<Record<string, string | null>>

/** What one call, or one command of the console, did: the named fields of an audit record. It never holds a secret. */
export interface AuditEvent {
  /** Milliseconds since the Unix epoch at which the call arrived. */
  readonly at: number
  /** What was asked for, for example `transparent.encrypt` or `console.user.add`. */
  readonly operation: string
  readonly requestId: string
  /** `allowed`, or the fault code with which the call was refused; `noted` in what the trail says of itself. */
  readonly outcome: string
  readonly userId?: number | undefined
  readonly username?: string | undefined
  readonly sessionId?: number | undefined
  readonly applicationKeyId?: number | undefined
  readonly address?: string | undefined
  readonly vault?: string | undefined
  readonly key?: string | undefined
  readonly keyVersion?: number | undefined
  /** The thing acted on where it is neither vault nor key, for example `user 17`. */
  readonly target?: string | undefined
  readonly rows?: RecordedRows | undefined
  /** When the rows were read, in the transaction of the change: milliseconds since the Unix epoch. */
  readonly rowsAt?: number | undefined
  /** How many calls a record sums up. */
  readonly count?: number | undefined
  /** How long the call took, in milliseconds with at most three decimals. */
  readonly ms?: number | undefined
}

/**
 * Where records go. `append` resolves when the record is on the disk, and rejects with `audit.unavailable` when it is
 * not.
 */
export interface AuditTrail {
  append(event: AuditEvent): Promise<void>
  /** Seals what is not sealed yet, and lets go of the chain. */
  close(): Promise<void>
}
