import { pause } from './retry.ts'
import { stepMs, totpCode } from './totp.ts'
import type { Transport } from './transport.ts'

/** A way to log in. The client asks it for the body of `POST /auth` whenever it needs a session. */
export interface Login {
  body(): Promise<Readonly<Record<string, string>>>
  /** `idle`: each call prolongs the session, as those of people. `fixed`: it ends at its time, as those of services. */
  readonly lifetime: 'idle' | 'fixed'
  /** Whether `body` is good for another try, because it makes what is good once anew. */
  readonly isRepeatable: boolean
  /** Where it goes, when that is not the address of the client: client certificates have a listener of their own. */
  readonly address?: (client: URL) => string | URL
  /** How it goes there, for this login alone. */
  readonly transport?: () => Transport
}

/** Who logs in, and by which application. */
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

/** With a code that `otp` asks a person for, or that was read once; of a hardware token or of an authenticator app. */
export function otpLogin({ otp, ...person }: Person & { readonly otp: string | (() => Promise<string>) }): Login {
  return {
    lifetime: 'idle',
    isRepeatable: false,
    async body() {
      return { ...formOf(person), otp: typeof otp === 'string' ? otp : await otp() }
    },
  }
}

/** With the seed of an authenticator app. A code is good once: a further login waits for the next, up to half a minute. */
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
