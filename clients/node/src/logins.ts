import { AuthenticationError } from './errors.ts'
import { pause } from './retry.ts'
import { stepMs, totpCode } from './totp.ts'
import type { Transport } from './transport.ts'

/** A way to log in. The client asks it for the body of `POST /auth` whenever it needs a session. */
export interface Login {
  body(): Promise<Readonly<Record<string, string>>>
  /** `idle`: each call prolongs the session (people). `fixed`: the session ends at its time (service accounts). */
  readonly lifetime: 'idle' | 'fixed'
  /** Whether `body` may be called for another try, because it then makes a new one-time value. */
  readonly isRepeatable: boolean
  /** Address of the login, where it differs from that of the client: client certificates have a separate listener. */
  readonly address?: (client: URL) => string | URL
  /** The transport for the login only. */
  readonly transport?: () => Transport
}

/** The person who logs in, and the application key. */
export interface Person {
  readonly username: string
  readonly passphrase: string
  readonly applicationKey: string
}

export const formOf = ({ username, passphrase, applicationKey }: Person) => ({
  username,
  passphrase,
  apikey: applicationKey,
})

/**
 * Logs in with a code of a hardware token or authenticator app. `otp`: the code, or a function that asks for it. A given
 * code is sent once, because a second login with it would count as a failed one.
 */
export function otpLogin({ otp, ...person }: Person & { readonly otp: string | (() => Promise<string>) }): Login {
  let isSpent = false
  return {
    lifetime: 'idle',
    isRepeatable: false,
    async body() {
      if (isSpent)
        throw new AuthenticationError(
          'The one-time password was sent before, and is valid once: give a function that asks for one.',
          { code: 'session.invalid' },
        )
      isSpent = typeof otp === 'string'
      return { ...formOf(person), otp: typeof otp === 'string' ? otp : await otp() }
    },
  }
}

/**
 * Logs in with the seed of an authenticator app. A code is valid once, so that another login waits for the next code,
 * up to half a minute.
 */
export function totpLogin({ totpSecret, ...person }: Person & { readonly totpSecret: string }): Login {
  let lastStep = 0
  return {
    lifetime: 'idle',
    isRepeatable: true,
    async body() {
      const step = Math.max(Math.floor(Date.now() / stepMs), lastStep + 1)
      lastStep = step
      const waitMs = step * stepMs - Date.now()
      if (waitMs > 0) await pause(waitMs)
      return { ...formOf(person), otp: await totpCode(totpSecret, step), logintype: 'totp' }
    },
  }
}
