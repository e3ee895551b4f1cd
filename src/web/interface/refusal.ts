interface RefusalDetails {
  /** HTTP status; 0 without an answer. */
  readonly status: number
  /** Number in the appliance's error catalogue. */
  readonly number?: number | undefined
  /** The appliance's sentence, in English. */
  readonly sentence?: string | undefined
  /** Seconds after which the call may be repeated (Retry-After). */
  readonly waitSeconds?: number | undefined
  /** The call may have made its change nevertheless. */
  readonly mayBeDone?: boolean | undefined
  readonly cause?: unknown
}

/** The failure of a call: a refusal of the appliance, an answer of another server, or no answer. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly number: number | undefined
  readonly sentence: string | undefined
  readonly waitSeconds: number | undefined
  readonly mayBeDone: boolean

  constructor({ status, number, sentence, waitSeconds, mayBeDone = false, cause }: RefusalDetails) {
    super(sentence ?? `status ${status}`, { cause })
    this.status = status
    this.number = number
    this.sentence = sentence
    this.waitSeconds = waitSeconds
    this.mayBeDone = mayBeDone
  }
}

/** Whether the appliance refused with this number of its catalogue. */
export const hasNumber = (error: unknown, number: number): boolean =>
  error instanceof Refusal && error.number === number

export const hasStatus = (error: unknown, ...statuses: readonly number[]): boolean =>
  error instanceof Refusal && statuses.includes(error.status)

/** Whether the appliance itself refused the call, so that nothing was done. */
export const isVerdict = (error: unknown): boolean => error instanceof Refusal && error.number !== undefined

/** Whether a change failed without a verdict of the appliance, so that it may have been made nevertheless. */
export const mayBeDone = (error: unknown): boolean => error instanceof Refusal && error.mayBeDone

/**
 * Whether the appliance denies access (401, 403, 404). Data that was read before is then hidden; after a lost call it
 * may stay.
 */
export const isDenial = (error: unknown): boolean => isVerdict(error) && hasStatus(error, 401, 403, 404)

/** Whether an error takes the place of the data in a view: nothing was read before, or access is denied now. */
export const hidesData = (error: unknown, data: unknown): boolean =>
  Boolean(error) && (data === undefined || isDenial(error))
