/** How the trail of one process stands, for the monitor. Times in milliseconds since 1970. */
export interface TrailState {
  isOpen: boolean
  /** When a record could not be written; undefined once one was. */
  failedAt: number | undefined
  /** When the last record was written. */
  wroteAt: number | undefined
  /** Records behind the last seal, and since when there are any. */
  unsealed: number
  unsealedSince: number | undefined
  sealedAt: number | undefined
}

export function createTrailState(): TrailState {
  return {
    isOpen: false,
    failedAt: undefined,
    wroteAt: undefined,
    unsealed: 0,
    unsealedSince: undefined,
    sealedAt: undefined,
  }
}
