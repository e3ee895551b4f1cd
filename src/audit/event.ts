/**
 * The rows that a record is about, by name (`key 3/greeting`), each with its state after the change; null for a removed
 * row.
 */
export type RecordedRows = Readonly<Record<string, string | null>>

/** The fields of an audit record: the effect of one call, or of one command of the console. They contain no secret. */
export interface AuditEvent {
  /** When the call arrived, in milliseconds since the Unix epoch. */
  readonly at: number
  /** The operation, for example `transparent.encrypt` or `console.user.add`. */
  readonly operation: string
  readonly requestId: string
  /** `allowed`, or the fault code with which the call was refused; `noted` for records of the trail about itself. */
  readonly outcome: string
  readonly userId?: number | undefined
  readonly username?: string | undefined
  readonly sessionId?: number | undefined
  readonly applicationKeyId?: number | undefined
  readonly address?: string | undefined
  readonly vault?: string | undefined
  readonly key?: string | undefined
  readonly keyVersion?: number | undefined
  /** The thing acted on if it is neither vault nor key, for example `user 17`. */
  readonly target?: string | undefined
  readonly rows?: RecordedRows | undefined
  /** When the rows were read in the transaction of the change, in milliseconds since the Unix epoch. */
  readonly rowsAt?: number | undefined
  /** The number of calls that a summary record counts. */
  readonly count?: number | undefined
  /** The duration of the call in milliseconds, with at most three decimals. */
  readonly ms?: number | undefined
}

/** The audit trail. `append` resolves when the record is on the disk; otherwise it rejects with `audit.unavailable`. */
export interface AuditTrail {
  append(event: AuditEvent): Promise<void>
  /** Seals the unsealed records, and releases the chain. */
  close(): Promise<void>
}
