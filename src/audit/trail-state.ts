/** The state of one process's chain, for the monitor. Times are in milliseconds since the Unix epoch. */
export interface TrailState {
  isOpen: boolean
  /** When writing a record last failed; undefined after a later success. */
  failedAt: number | undefined
  /** When the last record was written. */
  wroteAt: number | undefined
  /** Number of records after the last seal, and since when there are any. */
  unsealed: number
  unsealedSince: number | undefined
  sealedAt: number | undefined
  /** When the registry was last read for a seal, and the chains whose heads in it no seal confirmed then. */
  comparedAt: number | undefined
  unconfirmed: readonly string[]
}

export function createTrailState(): TrailState {
  return {
    isOpen: false,
    failedAt: undefined,
    wroteAt: undefined,
    unsealed: 0,
    unsealedSince: undefined,
    sealedAt: undefined,
    comparedAt: undefined,
    unconfirmed: [],
  }
}
