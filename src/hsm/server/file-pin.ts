import { existsSync, statSync } from 'node:fs'
import { readSecret } from '../../config/loader.ts'
import { PinRefused, TokenFailure } from '../pkcs11/failure.ts'
import type { PinnedToken, UserPin } from '../pkcs11/user-pin.ts'
import { type RefusalLedger, withRefusedPins } from './refused-pins.ts'

/** The file of the next PIN during a change: after an interrupted change, the token has one or the other. */
export const nextPinBeside = (pinFile: string): string => `${pinFile}.next`

export interface PinSources {
  /** `hsm.pinFile`. */
  readonly pinFile: string
  /** The file that remembers refused PINs. */
  readonly refusedPins: string
}

/**
 * The PIN in a file, read at every login. A PIN that the token refused is not tried again, by any process of this
 * machine, until the file changes.
 */
export function createFilePin(sources: PinSources): UserPin {
  const { pinFile, refusedPins } = sources
  const files = [pinFile, nextPinBeside(pinFile), refusedPins]
  const look = () => files.map(stampOf).join()
  let refusedAs: string | undefined
  let isNext = false
  return {
    read: () => candidatesIn(pinFile)[isNext ? 1 : 0] ?? readSecret(pinFile),
    present(token, login) {
      // Taken before the files are read, so that a change in between is noticed.
      refusedAs = look()
      withRefusedPins(refusedPins, (refused) => {
        const pins = candidatesIn(pinFile)
        isNext = presentOne(pins, token, refused.of(token), login) > 0
        refusedAs = undefined
      })
    },
    alone: (work) => withRefusedPins(refusedPins, work),
    wasSet: () => withRefusedPins(refusedPins, (ledgers) => ledgers.clear()),
    hasChanged: () => refusedAs !== undefined && refusedAs !== look(),
  }
}

/** The content that the units of systemd give the file of the next PIN while there is none (SetCredential=). */
const noPin = '-'

/** The PIN of the file, and the next one of an interrupted change. */
function candidatesIn(pinFile: string): string[] {
  const next = nextPinBeside(pinFile)
  const pins = [readSecret(pinFile), ...(existsSync(next) ? [readSecret(next)] : [])]
  return pins.filter((pin, at) => at === 0 || pin !== noPin)
}

/**
 * Logs in with the first PIN that the token accepts. Returns its index in `pins`. A refused PIN is remembered before the
 * next one is tried. Only the first PIN is tried where one more refusal would lock the token.
 * @throws PinRefused where the token accepts none
 */
export function presentOne(
  pins: readonly string[],
  token: PinnedToken,
  ledger: RefusalLedger,
  login: (pin: string) => void,
): number {
  let last: PinRefused | undefined
  for (const [at, pin] of pins.entries()) {
    const known = ledger.find(pin)
    if (known !== undefined) {
      last = new PinRefused(known.code, known.at)
      continue
    }
    if (at > 0 && token.isFinalTry()) break
    try {
      login(pin)
      // Otherwise the first PIN was refused, and every process would try it again.
      if (at === 0) ledger.clear()
      return at
    } catch (error) {
      if (!(error instanceof TokenFailure) || error.remedy !== 'fatal') throw error
      last = new PinRefused(error.code, Date.now(), error)
      ledger.add(pin, { code: last.code, at: last.at })
    }
  }
  throw last ?? new RangeError('no PIN')
}

/** A text that changes when the file is replaced, changed, made or removed. */
function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stat === undefined ? '' : `${stat.dev}.${stat.ino}.${stat.mtimeNs}.${stat.size}`
}
