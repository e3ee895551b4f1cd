export type PasskeyReason =
  /** The person cancelled, the time was over, or the device has no passkey: browsers do not say which. */
  | 'noneGiven'
  | 'noneMade'
  /** The authenticator already holds a passkey of this person. */
  | 'heldAlready'
  /** The address of the page is not the one that the passkeys are bound to. */
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
