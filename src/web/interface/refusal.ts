interface RefusalDetails {
  /** HTTP status; 0 where no answer came. */
  readonly status: number
  /** Of the appliance's catalogue. */
  readonly number?: number | undefined
  /** What the appliance says, in English. */
  readonly sentence?: string | undefined
  /** After how many seconds the appliance wants to be asked again. */
  readonly waitSeconds?: number | undefined
  readonly cause?: unknown
}

/** A call that did not succeed. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly number: number | undefined
  readonly sentence: string | undefined
  readonly waitSeconds: number | undefined

  constructor({ status, number, sentence, waitSeconds, cause }: RefusalDetails) {
    super(sentence ?? `status ${status}`, { cause })
    this.status = status
    this.number = number
    this.sentence = sentence
    this.waitSeconds = waitSeconds
  }
}

/** Whether the appliance has answered: nothing was done. */
export const isVerdict = (error: unknown): boolean => error instanceof Refusal && error.number !== undefined

/** Whether the appliance itself says no: what was read before is not to be shown any longer, as it may be where a call was lost. */
export const isDenial = (error: unknown): boolean =>
  error instanceof Refusal && error.number !== undefined && [401, 403, 404].includes(error.status)
