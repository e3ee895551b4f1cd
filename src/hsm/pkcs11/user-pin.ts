/** What a token says of itself before a login. */
export interface PinnedToken {
  readonly label: string
  readonly serial: string
  /** Whether one more wrong PIN locks it (CKF_USER_PIN_FINAL_TRY), now. */
  isFinalTry(): boolean
}

/** How the PIN of the user comes to a token. */
export interface UserPin {
  /** Reads the PIN that is good, as far as is known; it is kept nowhere. */
  read(): string
  /**
   * Calls `login` with the PIN. Throws what `login` throws; PinRefused, without calling it, where the token has refused
   * this PIN before.
   */
  present(token: PinnedToken, login: (pin: string) => void): void
  /** The token has been given this PIN: that it refused it before counts no more. */
  wasSet(): void
  /** Whether what was refused last may have been replaced meanwhile. */
  hasChanged(): boolean
}

/** A PIN that was typed, or was set by this process: refused or not, it is presented once. */
export function knownPin(pin: string): UserPin {
  return { read: () => pin, present: (_token, login) => login(pin), wasSet: () => {}, hasChanged: () => false }
}
