import { Fault, isFault } from '../../fault.ts'
import { withDirectorySync } from '../pkcs11/directory-sync.ts'
import { checkPin, type PinLimits, pinLimitsOf, setPin } from '../pkcs11/pin-setting.ts'
import { type OpenToken, type TokenLocation, withToken } from '../pkcs11/token-opening.ts'
import { knownPin } from '../pkcs11/user-pin.ts'
import { presentOne } from './file-pin.ts'
import type { PinCredential } from './pin-credential.ts'
import { withRefusedPins } from './refused-pins.ts'

export interface PinChangeOptions {
  readonly location: Omit<TokenLocation, 'pin'>
  readonly credential: PinCredential
  /** The file that remembers refused PINs. */
  readonly refusedPins: string
  /** Gives the new PIN. Called once the token has accepted the present one. */
  readonly newPin: (limits: PinLimits) => string
}

/** `finished`: an interrupted change had reached the token, and is complete now. */
export type PinChange = 'changed' | 'finished'

/**
 * Changes the PIN of the token and of the credential, while other processes wait with their logins. The next PIN is
 * stored beside the old one before the token gets it, and replaces it afterwards. So after an interruption one of the
 * two is the token's, and at most one wrong PIN is tried.
 * @throws Fault `hsm.rejected`; PinRefused
 */
export function changePin({ location, credential, refusedPins, newPin }: PinChangeOptions): PinChange {
  return withRefusedPins(refusedPins, (refused) => {
    const next = credential.readNext()
    const pins = [credential.read(), ...(next === undefined ? [] : [next])]
    let taken = 0
    const pin = {
      ...knownPin(''),
      present(...[token, login]: Parameters<TokenLocation['pin']['present']>) {
        taken = presentOne(pins, token, refused.of(token), login)
      },
    }
    return withToken({ ...location, pin }, (token) => {
      if (taken === 0) {
        // The interrupted change did not reach the token.
        credential.discardNext()
        const fresh = newPin(pinLimitsOf(token))
        checkPin(fresh, pinLimitsOf(token))
        credential.keepNext(fresh)
        requireReadable(credential, fresh)
        give(token, pins[0] ?? '', fresh, { credential, location })
      }
      credential.promoteNext()
      // It may have been refused before it was the PIN.
      refused.clear()
      return taken === 0 ? 'changed' : 'finished'
    })
  })
}

/** Readers of the file drop a line end, so that a PIN which ends with one could not be read back. */
function requireReadable(credential: PinCredential, fresh: string): void {
  if (credential.readNext() === fresh) return
  credential.discardNext()
  throw new Fault('hsm.rejected', 'The new PIN ends with an empty line: leave that out. Nothing was changed.')
}

function give(
  token: OpenToken,
  before: string,
  fresh: string,
  { credential, location }: Pick<PinChangeOptions, 'credential' | 'location'>,
): void {
  try {
    withDirectorySync(location.tokenDirectory, () => setPin(token, before, fresh))
  } catch (error) {
    if (isFault(error, 'hsm.rejected')) credential.discardNext()
    else
      throw new Fault(
        'hsm.unavailable',
        'The token failed while it was given the PIN, and may have the old one or the new one: run the command again, which finds out.',
        { cause: error },
      )
    throw error
  }
}
