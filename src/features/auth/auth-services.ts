import type { Clock } from '../../clock.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Store } from '../../store/store.ts'
import type { Certificates } from '../certificates/user-certificates.ts'
import type { Otps } from '../otp/otp.ts'
import type { Passkeys } from '../passkeys/passkeys.ts'
import type { Passphrases } from '../users/passphrase.ts'
import type { Recoveries } from '../users/recovery.ts'
import { createApplicationKeys, type ApplicationKeys } from './application-key.ts'
import { createCredentialCheck } from './credential-check.ts'
import type { LoginType } from './credentials.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import { createFactorCheck } from './factor-check.ts'
import { createOwnFactors, type OwnFactors } from './own-factors.ts'
import { createLogin, type Login } from './login.ts'
import { createServiceLogin, type ServiceLogin } from './service-login.ts'
import type { ServiceSessions } from './service-sessions.ts'
import { createPassphraseChanges, type PassphraseChanges } from './passphrase-change.ts'
import type { Sessions } from './sessions.ts'
import { createCardReader, revocationWarnings, type CardReader } from './smartcard-login.ts'
import type { Throttle } from './throttle.ts'
import { createUsableFactors } from './usable-factors.ts'

/** Logins, the sessions they open, and application keys. */
export interface AuthServices {
  readonly applicationKeys: ApplicationKeys
  readonly login: Login
  readonly serviceLogin: ServiceLogin
  readonly readCard: CardReader
  readonly sessions: Sessions
  readonly passphraseChanges: PassphraseChanges
  readonly ownFactors: OwnFactors
  readonly throttle: Throttle
}

/** `sessions` and `throttle` are created by the caller, because users, certificates and OTP devices need them too. */
export function createAuth(dependencies: {
  readonly store: Store
  readonly hsm: Hsm
  readonly clock: Clock
  readonly enabledTypes: readonly LoginType[]
  readonly passphraseMaxAgeMs: number
  readonly sessions: Sessions
  readonly serviceSessions: ServiceSessions
  readonly throttle: Throttle
  readonly passphrases: Passphrases
  readonly otps: Otps
  readonly passkeys: Passkeys
  readonly certificates: Certificates
  readonly recoveries: Recoveries
  readonly issuerKeys: IssuerKeys
}): AuthServices {
  const { certificates, clock, sessions, serviceSessions, throttle } = dependencies
  const applicationKeys = createApplicationKeys(dependencies)
  const checkFactor = createFactorCheck(dependencies)
  const credentialCheck = createCredentialCheck({ ...dependencies, applicationKeys, checkFactor })
  return {
    applicationKeys,
    login: createLogin({
      ...dependencies,
      applicationKeys,
      credentialCheck,
      siteWarnings: () => revocationWarnings(certificates),
    }),
    serviceLogin: createServiceLogin({ ...dependencies, sessions: serviceSessions }),
    readCard: createCardReader(certificates, clock),
    sessions,
    passphraseChanges: createPassphraseChanges({ ...dependencies, credentialCheck }),
    ownFactors: createOwnFactors({
      ...dependencies,
      checkFactor,
      hasUsableFactor: createUsableFactors(dependencies),
    }),
    throttle,
  }
}
