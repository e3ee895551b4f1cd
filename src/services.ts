import type { Clock } from './clock.ts'
import type { Config } from './config/schema.ts'
import type { Hsm } from './hsm/hsm.ts'
import { createApplicationKeys, type ApplicationKeys } from './login/application-key.ts'
import { createLogin, type Login } from './login/login.ts'
import { createThrottle } from './login/throttle.ts'
import { createEnrolments, type Enrolments } from './otp/enrolment.ts'
import { createOtps } from './otp/otp.ts'
import { createSessions, type Sessions } from './session/session.ts'
import type { Store } from './store/store.ts'
import { createInvocations } from './transparent/invocations.ts'
import { createKeyring, type Keyring } from './transparent/keyring.ts'
import { createPassphrases } from './user/passphrase.ts'
import { createUsers, type Users } from './user/user.ts'
import { createVaults, type Vaults } from './vault/vault.ts'

/** The domain, put together: what a worker serves over HTTP and the console works with directly. */
export interface Services {
  readonly users: Users
  readonly applicationKeys: ApplicationKeys
  readonly enrolments: Enrolments
  readonly login: Login
  readonly sessions: Sessions
  readonly vaults: Vaults
  readonly keyring: Keyring
}

export interface ServiceDependencies {
  readonly config: Config
  readonly store: Store
  readonly hsm: Hsm
  readonly clock: Clock
}

export function createServices({ config, store, hsm, clock }: ServiceDependencies): Services {
  const passphrases = createPassphrases(hsm, config.login.argon2)
  const applicationKeys = createApplicationKeys({ store, hsm, clock })
  const sessions = createSessions({ clock, limits: config.session })
  const otps = createOtps({ store, hsm, clock })
  const throttle = createThrottle({ clock, rules: config.login })
  const invocations = createInvocations({ store, hsm, leaseSize: config.transparent.invocationLease })
  return {
    users: createUsers({ store, hsm, passphrases, clock }),
    applicationKeys,
    enrolments: createEnrolments({ hsm, clock }),
    login: createLogin({
      store,
      applicationKeys,
      passphrases,
      otps,
      sessions,
      throttle,
      enabledTypes: config.login.types,
    }),
    sessions,
    vaults: createVaults({ store, hsm, clock }),
    keyring: createKeyring({ store, hsm, invocations, clock }),
  }
}
