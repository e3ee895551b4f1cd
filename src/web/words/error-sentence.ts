import { PasskeyFailure } from '../interface/passkey-failure.ts'
import { Refusal } from '../interface/refusal.ts'
import type { Words } from './en.ts'

interface Sentence {
  readonly text: string
  /** Set where the text is not in the person's language. */
  readonly lang?: 'en'
  /** Additional text of the appliance, in English. */
  readonly detail?: string | undefined
  /** Number of the fault, which an administrator can look up. */
  readonly number?: number
  readonly waitSeconds?: number | undefined
}

/** The browsers' names of the error for a file that was moved or changed after it was chosen. */
const unreadable = ['NotFoundError', 'NotReadableError']

/** Faults whose sentence says what exactly is wrong with an object, a user, a device, a pass phrase or a call. */
const particular = new Set([1611, 1702, 1705, 1730, 1741, 1751, 1761, 1804])

/** The sentence that tells a person of an error. */
export function sentenceOf(error: unknown, words: Words): Sentence {
  if (error instanceof PasskeyFailure) return { text: words.passkeyFailures[error.reason] }
  if (error instanceof DOMException && unreadable.includes(error.name)) return { text: words.fileGone }
  if (!(error instanceof Refusal)) return { text: words.failed }
  const { number, sentence, status, waitSeconds } = error
  if (number === undefined && status === 0) return { text: words.unreachable }
  if (number === undefined)
    return { text: status === 413 ? words.tooLargeForProxy : words.notOurs, number: status, waitSeconds }
  const known = words.faults[number]
  if (known === undefined && sentence !== undefined) return { text: sentence, lang: 'en', number, waitSeconds }
  return { text: known ?? words.failed, number, waitSeconds, ...(particular.has(number) && { detail: sentence }) }
}
