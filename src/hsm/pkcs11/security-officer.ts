import pkcs11, { type Template } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { attempt, TokenFailure } from './failure.ts'
import { limitsOf } from './object-limits.ts'
import { oaep } from './mechanisms.ts'
import { checkPin, pinLimitsOf, setPin } from './pin-setting.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import { type OpenToken, type TokenLocation, withToken } from './token-opening.ts'
import { knownPin } from './user-pin.ts'

/** A session of the security officer (SO), who sees no private objects. */
export interface OfficerSession {
  /** Sets the user's PIN. Objects are kept, and the previous PIN is refused. */
  setPin(pin: string): void
  /** Changes the PIN of the security officer. Throws `hsm.rejected`. */
  changeOwnPin(pin: string): void
  create(template: Template): KeyHandle
}

/**
 * Runs `work` in a session of the security officer. The SO PIN is tried once. No other process logs in meanwhile, since
 * it could put an earlier file of the token in the place of one with the PIN that `work` sets.
 * @throws Fault `hsm.rejected` where the token refuses the SO PIN
 */
export function asSecurityOfficer<T>(location: TokenLocation, soPin: string, work: (so: OfficerSession) => T): T {
  try {
    return location.pin.alone(() =>
      withToken({ ...location, pin: knownPin(soPin) }, (token) => work(officerSession(token, soPin)), pkcs11.CKU_SO),
    )
  } catch (error) {
    if (error instanceof TokenFailure && error.remedy === 'fatal')
      throw new Fault('hsm.rejected', 'The token refuses this SO PIN.', { cause: error })
    throw error
  }
}

function officerSession(token: OpenToken, soPin: string): OfficerSession {
  const { slot, session } = token
  return {
    setPin: (pin) => attempt('login', () => slot.lib.C_InitPIN(session.handle, pin)),
    changeOwnPin(pin) {
      checkPin(pin, pinLimitsOf(token))
      setPin(token, soPin, pin)
    },
    create: (template) => session.create(template),
  }
}

/** Label of the objects of a ceremony, in both tokens. They are destroyed when it ends. */
export const ceremonyLabel = 'strongroom.ceremony'

/** Template of a recipient's RSA key that may wrap keys with CKA_WRAP_WITH_TRUSTED. Only the SO can create it. */
export function trustedTemplate(wrapping: Template, id: Buffer): Template {
  return [
    ...wrapping.filter(({ type }) => type !== pkcs11.CKA_TOKEN),
    { type: pkcs11.CKA_TOKEN, value: true },
    { type: pkcs11.CKA_TRUSTED, value: true },
    { type: pkcs11.CKA_MODIFIABLE, value: false },
    { type: pkcs11.CKA_LABEL, value: ceremonyLabel },
    { type: pkcs11.CKA_ID, value: id },
    ...limitsOf([oaep]),
  ]
}

/** Destroys all objects with CKA_TRUSTED, whoever made them, copies included. Returns their number. */
export function destroyTrusted(session: Pkcs11Session): number {
  const trusted = findTrusted(session)
  for (const handle of trusted) session.destroy(handle)
  return trusted.length
}

export function findTrusted(session: Pkcs11Session): KeyHandle[] {
  return session.find([{ type: pkcs11.CKA_TRUSTED, value: true }])
}
