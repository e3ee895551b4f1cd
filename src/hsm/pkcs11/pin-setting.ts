import { Fault } from '../../fault.ts'
import { attempt, TokenFailure } from './failure.ts'
import type { OpenToken } from './token-opening.ts'

/** Shortest and longest PIN of a token, in bytes (CK_TOKEN_INFO). */
export interface PinLimits {
  readonly least: number
  readonly most: number
}

export const pinLimitsOf = ({ info }: Pick<OpenToken, 'info'>): PinLimits => ({
  least: info.minPinLen,
  most: info.maxPinLen,
})

/** @throws Fault `hsm.rejected` for a PIN that is too long or too short for the token */
export function checkPin(pin: string, { least, most }: PinLimits): void {
  const bytes = Buffer.byteLength(pin)
  if (bytes < least || bytes > most)
    throw new Fault(
      'hsm.rejected',
      `The token takes PINs of ${least} to ${most} bytes: this one has ${bytes}. Nothing was changed.`,
    )
}

/**
 * Changes the PIN of the user who is logged in (C_SetPIN). After a failure other than `hsm.rejected` it is unknown
 * which PIN the token has.
 * @throws Fault `hsm.rejected` where the token does not accept the PIN
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
