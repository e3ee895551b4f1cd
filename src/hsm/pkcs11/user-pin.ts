/** Information about a token before the login. */
export interface PinnedToken {
  readonly label: string
  readonly serial: string
  /** Whether one more wrong PIN would lock the token now (CKF_USER_PIN_FINAL_TRY). */
  isFinalTry(): boolean
}

/** Gives the PIN of the user to a token. */
export interface UserPin {
  /** Reads the PIN, which is the valid one as far as is known. It is not kept. */
  read(): string
  /**
   * Calls `login` with the PIN. Throws what `login` throws, and PinRefused, without calling it, where the token has
   * refused this PIN before.
   */
  present(token: PinnedToken, login: (pin: string) => void): void
  /** Runs `work` while no other process of this machine logs in. */
  alone<T>(work: () => T): T
  /** Notes that the PIN was set in the token, so that an earlier refusal no longer counts. */
  wasSet(): void
  /** Whether the PIN may have been replaced since its last refusal. */
  hasChanged(): boolean
}

/**
 * A PIN that a person typed or this process has set. It is presented once, without a look at earlier refusals. Logins
 * wait for others by `alone`; without it, the caller sees to that.
 */
export function knownPin(pin: string, alone: UserPin['alone'] = (work) => work()): UserPin {
  return {
    read: () => pin,
    present: (_token, login) => alone(() => login(pin)),
    alone,
    wasSet: () => {},
    hasChanged: () => false,
  }
}
