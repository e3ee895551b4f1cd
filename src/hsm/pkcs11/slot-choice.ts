import pkcs11, { type PKCS11, type TokenInfo } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { attempt } from './failure.ts'
import type { TokenSelector } from './token-uri.ts'

export interface ChosenSlot {
  readonly handle: Buffer
  readonly info: TokenInfo
}

/**
 * The one slot whose initialised token fits the selector. Throws `hsm.unavailable` for none and for several: the first slot
 * is never a default, because SoftHSM2 shows an empty token there while another process logs in.
 */
export function chooseSlot(lib: PKCS11, selector: TokenSelector): ChosenSlot {
  const present = initialisedTokens(lib)
  const fitting = present.filter(({ info }) => fits(info, selector))
  const [first, second] = fitting
  if (first === undefined) {
    const others = present.map(({ info }) => describe(info)).join(', ')
    throw new Fault(
      'hsm.unavailable',
      `No token fits hsm.token; the module shows ${others === '' ? 'no initialised token' : others}. Correct hsm.token, hsm.module or hsm.softhsmConf.`,
    )
  }
  if (second !== undefined) {
    throw new Fault(
      'hsm.unavailable',
      `${fitting.length} tokens fit hsm.token: add the serial (${describe(first.info)}, ${describe(second.info)}).`,
    )
  }
  return first
}

function initialisedTokens(lib: PKCS11): ChosenSlot[] {
  return attempt('session', () => lib.C_GetSlotList(true))
    .map((handle) => ({ handle, info: attempt('session', () => lib.C_GetTokenInfo(handle)) }))
    .filter(({ info }) => (info.flags & pkcs11.CKF_TOKEN_INITIALIZED) !== 0)
}

function fits(info: TokenInfo, selector: TokenSelector): boolean {
  return (
    (selector.token === undefined || selector.token === info.label.trim()) &&
    (selector.serial === undefined || selector.serial === info.serialNumber.trim()) &&
    (selector.manufacturer === undefined || selector.manufacturer === info.manufacturerID.trim()) &&
    (selector.model === undefined || selector.model === info.model.trim())
  )
}

function describe(info: TokenInfo): string {
  return `pkcs11:token=${info.label.trim()};serial=${info.serialNumber.trim()}`
}
