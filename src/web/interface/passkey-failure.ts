export type PasskeyReason =
  /** Cancelled, too late, or the device has none: browsers do not say which. */
  | 'noneGiven'
  | 'noneMade'
  /** The authenticator holds a passkey of this person. */
  | 'heldAlready'
  /** The page stands at an address that the passkeys are not bound to. */
  | 'otherAddress'

/** The browser gave no passkey. */
export class PasskeyFailure extends Error {
  override readonly name = 'PasskeyFailure'
  readonly reason: PasskeyReason

  constructor(reason: PasskeyReason, cause: unknown) {
    super(reason, { cause })
    this.reason = reason
  }
}
