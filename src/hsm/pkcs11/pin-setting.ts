import { Fault } from '../../fault.ts'
import { attempt, TokenFailure } from './failure.ts'
import type { OpenToken } from './token-opening.ts'

/** How many bytes a PIN of this token has. */
export interface PinLimits {
  readonly least: number
  readonly most: number
}

export const pinLimitsOf = ({ info }: Pick<OpenToken, 'info'>): PinLimits => ({
  least: info.minPinLen,
  most: info.maxPinLen,
})

/** Throws `hsm.rejected` for a PIN that is too long or too short for the token. */
export function checkPin(pin: string, { least, most }: PinLimits): void {
  const bytes = Buffer.byteLength(pin)
  if (bytes < least || bytes > most)
    throw new Fault(
      'hsm.rejected',
      `The token takes PINs of ${least} to ${most} bytes: this one has ${bytes}. Nothing was changed.`,
    )
}

/**
 * C_SetPIN, of the user who is logged in. Throws `hsm.rejected` where the token does not take the PIN; after any other
 * failure it is not known which PIN the token has.
 */
export function setPin({ slot, session }: Pick<OpenToken, 'slot' | 'session'>, oldPin: string, newPin: string): void {
  try {
    attempt('login', () => slot.lib.C_SetPIN(session.handle, oldPin, newPin))
  } catch (error) {
    if (!(error instanceof TokenFailure) || !['fatal', 'unsupported', 'data'].includes(error.remedy)) throw error
    throw new Fault('hsm.rejected', `The token does not take the new PIN (${error.message}). Nothing was changed.`, {
      cause: error,
    })
  }
}
