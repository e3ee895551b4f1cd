import { flagField, numberField } from '../protocol/fields.ts'
import { sessionTokenForm } from '../../access/session-token-form.ts'
import { Fault } from '../../fault.ts'
import { evidenceKinds, type LoginRequest } from '../login-request.ts'
import { secretKeyKinds } from '../key-kind.ts'
import type { OtpState } from '../otp-use.ts'
import { applicationKeyText, privateIdText, seedCheckText, successorText } from '../peppered-text.ts'
import type { RequestFields } from '../server/request-fields.ts'
import type { KeeperHandlers } from './keeper-handlers.ts'
import { acceptOtp } from './otp-acceptance.ts'
import { codeOf, onceIn, shownIn, stateIn, statesIn, verdictFields } from './otp-fields.ts'
import { createFreshGrantHandlers, type FreshGrantDependencies } from './fresh-grants.ts'
import { devicesOfHolder, type LogIn } from './logins.ts'
import { pepperVersions } from '../pkcs11/seal-operations.ts'
import { checkOf, checksOf, type PassphraseJudge, peppered } from './passphrase-judge.ts'
import type { LogInService } from './service-logins.ts'
import { committedShown } from './shown-record.ts'

export interface LoginDependencies extends FreshGrantDependencies {
  readonly passphrases: PassphraseJudge
  readonly logIn: LogIn
  readonly logInService: LogInService
}

/**
 * Operations that use pass phrases, one-time passwords and application keys. The keeper composes the texts itself, so
 * that a worker can never have the pepper applied to bytes of its choice.
 */
export function createLoginHandlers(on: LoginDependencies) {
  const { token, otps, passphrases, logIn, logInService } = on
  return {
    ...createFreshGrantHandlers(on),
    login(fields) {
      const { token: sessionToken, identity, seal, createdAt, expiresAt, isCheckCurrent } = logIn(loginIn(fields))
      return [
        Buffer.from(sessionToken),
        identity,
        seal,
        ...[createdAt, expiresAt].map(numberField),
        flagField(isCheckCurrent),
      ]
    },
    serviceLogin(fields) {
      const [account, kind] = [fields.optionalSealed(), fields.oneOf(evidenceKinds)]
      const begun = logInService(account, { kind, shown: fields.bytes(), issuerKeys: fields.optionalBytes() })
      const { token: sessionToken, identity, seal, createdAt, expiresAt, credential, usedUp } = begun
      const times = [createdAt, expiresAt].map(numberField)
      const used = [usedUp?.assertion ?? Buffer.alloc(0), Buffer.from(String(usedUp?.goodUntil ?? ''))]
      return [Buffer.from(sessionToken), identity, seal, ...times, Buffer.from(credential), ...used]
    },
    newPassphraseCheck: (fields) => [passphrases.check(hashIn(fields))],
    matchesPassphrase: (fields) => [flagField(passphrases.matches(fields.optionalBytes(), hashIn(fields), true))],
    applicationKeyCheck(fields) {
      const key = sized(fields.bytes(), 0, longestApplicationKey)
      return checksOf(token, () => applicationKeyText(key))
    },
    seedCheck(fields) {
      const kind = fields.oneOf(['totp', 'hotp'])
      const keyKind = fields.oneOf(secretKeyKinds)
      const period = fields.text()
      const use = { kind, keyKind, periodSeconds: period === '' ? null : Number(period) }
      const seed = sized(fields.bytes(), 16, 64)
      return checksOf(token, () => seedCheckText(use, seed))
    },
    privateIdCheck: (fields) => [checkOf(token, privateIdText(sized(fields.bytes(), 6, 6)))],
    sessionTokenSuccessor(fields) {
      const sessionToken = fields.text()
      if (!sessionTokenForm.test(sessionToken)) throw new Fault('hsm.rejected', 'This is not a token of a session.')
      // By the oldest version, so that a token keeps its successor for as long as possible.
      return [peppered(token, Math.min(...pepperVersions(token)), successorText(sessionToken))]
    },
    checkOtp(fields) {
      const [devices, otp, shownHolder] = [statesIn(fields), shownIn(fields), fields.optionalSealed()]
      if (shownHolder === undefined) return verdictFields(otps.check(oneOf(devices), otp))
      const holder = committedShown(on, 'user', shownHolder).fields
      return verdictFields(otps.check(devicesOfHolder(holder, devices), otp))
    },
    useOtp: (fields) => verdictFields(otps.use(oneOf(statesIn(fields)), shownIn(fields))),
    acceptOtp: (fields) => acceptOtp(on, otps, fields),
    resynchroniseOtp(fields) {
      const counter = otps.resynchronise(stateIn(fields), [codeOf(fields.text()), codeOf(fields.text())])
      return [Buffer.from(counter === undefined ? '' : String(counter))]
    },
  } satisfies KeeperHandlers
}

function loginIn(fields: RequestFields): LoginRequest {
  const applicationKey = fields.optionalSealed()
  const text = sized(fields.bytes(), 0, longestApplicationKey)
  const user = fields.optionalSealed()
  const hash = hashIn(fields)
  const certificate = fields.optionalSealed()
  const factor = certificate === undefined ? onceIn(fields) : { certificate }
  return { applicationKey, applicationKeyText: text, user, hash, factor }
}

/**
 * Allows at most one device. A wrong code is charged to each device on which it was tried, a right one to none: a
 * worker that showed a device of its own beside a user's could try that user's codes without ever being charged.
 */
function oneOf(devices: readonly OtpState[]): readonly OtpState[] {
  if (devices.length > 1)
    throw new Fault('hsm.rejected', 'Several devices are looked at together for the user whose factors they are.')
  return devices
}

/** Greatest length in bytes of a text that a client may send as an application key. */
const longestApplicationKey = 4_096

function sized(bytes: Buffer, least: number, most: number): Buffer {
  if (bytes.length < least || bytes.length > most)
    throw new Fault('hsm.rejected', `A secret of ${bytes.length} bytes does not serve here.`)
  return bytes
}

const hashIn = (fields: RequestFields): Buffer => sized(fields.bytes(), 32, 32)
